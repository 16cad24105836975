/** English texts of the errors of mail. */
export const EN_MAIL_ERRORS = {
  mail_off: "This server sends no mail. Ask an administrator.",
  no_address: "Your account has no email address. Enter one first.",
  address_confirmed: "You have confirmed this address already.",
  confirm_link_expired:
    "This link no longer works. It may have expired, been used, or been replaced. Ask for a new one in your profile.",
  address_in_use: "Another account has confirmed this address. Log in there and remove it, or enter another one here.",
  reset_link_expired:
    "This link no longer works. It may have expired, been used, or been replaced. Ask an administrator for a new one.",
  unsubscribe_unknown: "This link does not belong to an account. It may be incomplete, or the account was deleted.",
};

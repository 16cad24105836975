/** Errors of mail (protocol §17), a part of `ERRORS`. */
export const MAIL_ERRORS = {
  mail_off: [409, "This server sends no mail. Ask an administrator."],
  no_address: [409, "Your account has no email address. Enter one in your profile first."],
  address_confirmed: [409, "You have confirmed this address already."],
  confirm_link_expired: [
    410,
    "This link has expired, was used, or was replaced by a newer one. Ask for another in your profile.",
  ],
  address_in_use: [
    409,
    "Another account has confirmed this address. Log in to that account and remove the address there, or enter another one here.",
  ],
  unsubscribe_unknown: [
    404,
    "This link does not belong to an account. Perhaps it is incomplete, or the account was deleted.",
  ],
} as const;

import type { MailTexts } from "./mail-texts.ts";

/** Mails in English. */
export const EN_TEXTS: MailTexts = {
  confirm: {
    subject: (site) => `Confirm your address for ${site}`,
    text: (name, site) => `The account ${name} on ${site} has given this address. If it is yours, confirm it.`,
    button: "Confirm the address",
    hint: "The link works once, for 24 hours. If this is not your account, do nothing: without the link nobody can use your address.",
    footer: (site) => `You get this mail because somebody entered this address on ${site}. Answers are not read.`,
  },
  reset: {
    subject: (site) => `Choose a new password for ${site}`,
    text: (name, site) => `Somebody asked for a new password for your account ${name} on ${site}.`,
    button: "Choose a new password",
    hint: "The link works once, for one hour. If you did not ask for it, do nothing: your password stays as it is. Never pass the link on.",
    footer: (site) => `You get this mail because you confirmed this address on ${site}. Answers are not read.`,
  },
  invitation: {
    subject: (site) => `You are invited to ${site}`,
    text: (name, site) => `${name} invites you to ${site}.`,
    button: "Make an account",
    hint: (until) => `The invitation works until ${until}. If you do not want it, do nothing.`,
    footer: (site) =>
      `You get this mail because an administrator of ${site} entered this address. Answers are not read.`,
  },
  security: {
    subject: (site) => `A change to your account on ${site}`,
    notices: {
      password_changed: "Your password was changed, and your other sessions have ended.",
      reset_link_made: "A link was made with which a new password can be chosen for your account.",
      level_changed: "Your level on the site was changed.",
      wallet_changed: "The address of a wallet was changed.",
      new_device: "Somebody logged in to your account in a browser that it has not seen before.",
      identity_linked: "A login of the single sign-on was linked to your account.",
      identity_unlinked: "A login of the single sign-on was unlinked from your account.",
      second_factor_added: "A second factor was added.",
      second_factor_removed: "A second factor was removed.",
      second_factor_failed: "Somebody entered your password, and then wrong codes.",
      recovery_codes_made: "New recovery codes were made; the old ones no longer work.",
      recovery_code_used: "A recovery code was used to log in.",
      email_changed: "Another email address was entered for your account. This one no longer belongs to it.",
    },
    facts: (account, at) => `Account: ${account}\nTime: ${at}`,
    byAdministrator: "An administrator did it.",
    byOperator: "The operator of the server did it.",
    from: (network) => `From the network ${network}.`,
    advice: "If it was not you, change your password now and ask an administrator for help.",
    button: "Open my account",
    footer: (site) => `You get this mail because you confirmed this address on ${site}. Answers are not read.`,
  },
};

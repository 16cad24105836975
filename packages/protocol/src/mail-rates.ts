/** The rates of mail (protocol §17), a part of `RATES`. */
export const MAIL_RATES = {
  forgot: {
    name: "forgot",
    quota: 10,
    window: 3600,
    store: "database",
    counts: "mails for a new password asked for, per network",
  },
  forgotAccount: {
    name: "forgot-account",
    quota: 3,
    window: 3600,
    store: "database",
    fixed: true,
    counts: "mails for a new password asked for, per username or address",
  },
  confirmAddress: {
    name: "confirm-address",
    quota: 20,
    window: 60,
    store: "database",
    counts: "links that confirm an address used, per network",
  },
  confirmationMail: {
    name: "confirmation-mail",
    quota: 3,
    window: 86_400,
    store: "database",
    fixed: true,
    counts: "mails that confirm an address asked for, per user",
  },
  mailInvitation: {
    name: "mail-invitation",
    quota: 30,
    window: 3600,
    store: "database",
    counts: "invitations mailed, per user",
  },
  unsubscribe: {
    name: "unsubscribe",
    quota: 60,
    window: 60,
    store: "shared",
    counts: "digests ended by the link in a mail, per network",
  },
} as const;

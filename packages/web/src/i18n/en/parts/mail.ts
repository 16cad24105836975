/** English texts of mails: confirming an address, a new password, and what the user gets. */
export const EN_MAIL = {
  title: "Mail",
  off: "This server sends no mail.",
  states: {
    none: "Your account has no email address. Enter one under “Account”.",
    unconfirmed: (address: string) => `You have not confirmed ${address} yet, so nothing is sent there.`,
    confirmed: (address: string) => `Mails go to ${address}.`,
    refused: (address: string) =>
      `The mail server of ${address} refused several mails, so nothing more is sent there. Confirm the address again, or enter another one under “Account”.`,
  },
  sendLink: "Send the confirmation",
  linkSent: "A mail with a link is on its way. Open the link to confirm the address.",
  digest: "Mails about missed messages",
  digests: { off: "Never", away: "When I am away", daily: "Once a day, in the morning" },
  digestHint:
    "Lists unread direct messages and mentions: at most one mail in four hours, when you have not been here for half an hour. Quiet hours apply.",
  previews: "Include the text of messages",
  previewsHint:
    "Otherwise mails say only who wrote and where. Text of channels that delete messages or have a price is never included.",
  confirm: {
    title: "Confirm your email address",
    hint: "With a confirmed address you can set a new password by mail, and get mails about missed messages.",
    submit: "Confirm the address",
    done: (address: string, name: string) => `${address} is confirmed for ${name}.`,
  },
  forgot: {
    ask: "Forgot your password?",
    title: "Set a new password",
    hint: "Enter your username, or the email address that you have confirmed. You get a mail with a link.",
    account: "Username or email address",
    submit: "Send the mail",
    sent: "If there is such an account and it has a confirmed address, a mail is on its way. The link in it works for an hour. If no mail arrives, ask an administrator.",
    back: "Back to the login",
  },
  invite: {
    title: "Invite by mail",
    address: "Email address",
    days: "The link works for",
    submit: "Send the invitation",
    sent: (address: string) => `An invitation to ${address} is on its way.`,
  },
  stuck: (count: number, time: string) =>
    `${count} ${count === 1 ? "mail waits" : "mails wait"}; the oldest has been due since ${time}.`,
  reason: (reason: string) => `The mail server's last answer: ${reason}`,
  failed: (count: number) => `${count} ${count === 1 ? "mail" : "mails"} could not be delivered in the last 24 hours.`,
};

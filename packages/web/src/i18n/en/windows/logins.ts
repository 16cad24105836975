/** English texts of logins by an identity provider that are linked to an account. */
export const EN_LOGINS = {
  logins: "Linked logins",
  noLogins: "No logins are linked to your account.",
  addLogin: (provider: string) => `Link a login by ${provider}`,
  removeLogin: "Remove",
  removeLoginSure: "You can't log in with it any more, and other browsers that used it are logged out.",
};

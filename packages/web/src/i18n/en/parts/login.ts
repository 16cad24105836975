/** English texts of the window in which people log in and register. */
export const EN_LOGIN = {
  inviteRequired: "Invite code",
  invitedBy: (name: string) => `${name} invited you.`,
  newHere: "New here?",
  forgot: "Forgot your password? An administrator can send you a link to set a new one.",
  haveOne: "Already have an account?",
  welcome: "Welcome back",
  join: "Join the conversation",
  continueWith: (provider: string) => `Continue with ${provider}`,
  orPassword: "or with a password",
  ownersOnly: "Only the site's owners can log in with a password.",
};

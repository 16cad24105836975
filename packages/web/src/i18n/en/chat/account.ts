/** English texts of logging in and of the account menu. */
export const EN_ACCOUNT = {
  logIn: "Log in",
  logOut: "Log out",
  profile: "Your profile",
  agents: "Your agents",
  administration: "Administration",
  register: "Create account",
  invitePeople: "Invite people",
  required: "Log in to read and post messages.",
  guest: "Guest",
  guestHint: "You're browsing as a guest.",
  menu: (name: string) => `Account menu of ${name}`,
  sessionOver: "Your session has ended. Log in again to post.",
  passwordHint: "At least 8 characters.",
};

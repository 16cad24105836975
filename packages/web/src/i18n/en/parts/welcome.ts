/** English texts of the first steps. `zh.ts` beside it has the same keys; the compiler checks this. */
export const EN_WELCOME = {
  door: {
    invited: (name: string) => `${name} invites you to join.`,
    invalid: "This invitation link isn't valid.",
    invalidOpen: "You can still create an account.",
    invalidInvite: "Ask the person who sent it for a new link.",
    inviteOnly: "New accounts need an invitation from a member.",
    closed: "New accounts can't be created here.",
    lookAround: "Look around first",
  },
  owner: {
    title: "This server has no owner yet",
    how: "Run this in a terminal in Parley's folder, then log in with that name:",
    command: "npm run parley -- owner create <name>",
    local: "Only people on this machine see this hint.",
  },
  reset: {
    title: "Choose a new password",
    hint: "This ends all sessions of your account, on every device.",
    password: "New password",
    set: "Set the password",
    done: (name: string) => `The password of ${name} is changed. Log in with it.`,
  },
  invite: {
    title: "Invite people",
    link: "Invitation link",
    onlyHere:
      "The address of this page works on this machine only, and so does the link. Open the page by an address that others can reach.",
    hint: "Anyone with this link can create an account here. You earn points when someone signs up with it.",
    channel: "Takes them to",
    start: "The start page",
  },
  steps: {
    title: "Set up your server",
    progress: (done: number, all: number) => `${done} of ${all} done`,
    dismiss: "Hide this list",
    done: "Done",
    open: "Not done yet",
    people: { title: "Invite people", hint: "Send a friend an invitation link.", act: "Get the link" },
    agent: { title: "Connect an agent", hint: "Create an agent and give its key to your program.", act: "New agent" },
    channel: { title: "Create a channel", hint: "Give a topic or a team its own place.", act: "New channel" },
  },
};

import type { Command } from "./command.ts";

/** Commands for the accounts of people. */
export const USER_COMMANDS: readonly Command[] = [
  {
    name: "owner create",
    usage: "<username>",
    summary: "Create an account with the rights of an owner",
    details:
      "Asks for the password, or reads it from standard input when that is not a terminal. \nAn existing account with this name is promoted, gets this password and loses its sessions.\nThe first owner becomes the owner of the channel general.",
    load: async () => (await import("./users.ts")).ownerCreate,
  },
  {
    name: "user list",
    usage: "[--prefix <text>] [--suspended] [--admins]",
    summary: "List the users",
    details: "Lists all users by name, or only those with a name prefix, a suspension, or a level on the site.",
    load: async () => (await import("./users.ts")).userList,
  },
  {
    name: "user create",
    usage: "<username> [--link]",
    summary: "Create an account, also where PARLEY_REGISTRATION is closed",
    details:
      "Asks for the password, or reads it from standard input when that is not a terminal. With --link, the account has no password\nyet, and the command prints a link with which its user chooses one.",
    load: async () => (await import("./users.ts")).userCreate,
  },
  {
    name: "user reset",
    usage: "<username>",
    summary: "Print a link with which a user chooses a new password",
    details:
      "The link works once, for 24 hours, and ends all sessions of the user. It replaces their earlier link. Its address is\nPARLEY_PUBLIC_URL.",
    load: async () => (await import("./users.ts")).userReset,
  },
  {
    name: "user reset-factors",
    usage: "<username>",
    summary: "Remove the second factors and passkeys of a user who has lost them",
    details: "The user can then log in with the password alone. Their sessions continue.",
    load: async () => (await import("./users.ts")).userResetFactors,
  },
  {
    name: "user suspend",
    usage: "<username> [--until <time>]",
    summary: "Suspend a user, for a time or until it is lifted",
    details:
      "Ends the user's sessions; a running server closes their sockets within 2 seconds. Agents of which the user is the verified\nowner are paused for as long. Times are ISO 8601, such as 2030-01-31T18:00:00Z.",
    load: async () => (await import("./users.ts")).userSuspend,
  },
  {
    name: "user unsuspend",
    usage: "<username>",
    summary: "End a user's suspension",
    details: "The user must log in again, because their earlier sessions have ended.",
    load: async () => (await import("./users.ts")).userUnsuspend,
  },
  {
    name: "user erase",
    usage: "<username>",
    summary: "Delete an account while no server runs, as after a restore that brought it back",
    details:
      "Refuses while a server runs: then an administrator deletes the account in the page. The name cannot be taken again. It cannot be undone.",
    load: async () => (await import("./users.ts")).userErase,
  },
  {
    name: "user level",
    usage: "<username> <level>",
    summary: "Make a user a moderator or administrator of the site, or neither",
    details:
      "<level> is moderator, administrator or none. It also removes an owner's level; `owner create` makes owners.",
    load: async () => (await import("./users.ts")).userLevel,
  },
];

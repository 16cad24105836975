/**
 * The acts of the rights table (protocol §1), each with a description for the API document of who may perform it.
 * Routes and socket commands declare the acts they perform. test/rights.test.ts checks every act as every kind of
 * caller on every kind of object; its expectations are in test/support/rights-table.ts.
 */
export const RIGHTS = {
  // The service itself
  "see the service": "everybody",
  "read metrics": "callers on this machine; everybody with PARLEY_METRICS_PUBLIC",

  // Accounts
  register: "everybody",
  "log in": "everybody",
  "own sessions": "oneself",
  "own security notices": "oneself",
  "own blocks": "oneself",
  block: "users, any other user or agent",
  "read profiles": "everybody; guests unless PARLEY_GUEST_READ is off",
  "update user": "oneself; administrators, those of lower levels; owners of the site everybody",
  "prove wallet": "oneself",
  "read points": "oneself; administrators",
  "copy own data": "oneself",
  "delete account": "oneself; administrators, whose level is higher than the user's; always with one's own password",

  // Channels. Outsiders get `password_required` for a private channel, and for an invitation-only one the error of a
  // missing channel.
  "list channels":
    "everybody: public ones, private ones with a password, and one's own; guests unless PARLEY_GUEST_READ is off",
  "read history":
    "everybody in public channels (guests unless PARLEY_GUEST_READ is off); in private ones members, agents that were added, and administrators, audited",
  "create channel": "users; the creator owns it",
  "update channel": "its admins and owner; administrators",
  "hand over channel": "its owner; administrators",
  "delete channel": "its owner; administrators",
  "copy channel":
    "its owner; administrators, audited; the two of a direct conversation; where it has a price, everybody for payment",
  "join channel":
    "users and agents: public channels, and private ones with their password; administrators without it, audited. Where it has a price, for payment; administrators without",
  "leave channel":
    "users; the owner hands it over first. A direct conversation is only closed: out of one's list until something new is said",
  "mark as read": "members",
  "open conversation": "users, with any other user, unless one of them has blocked the other",
  moderate: "its admins and owner; moderators (in public channels), administrators; only against who stands below",
  "give roles": "its owner; administrators",

  // Messages
  send: "users: public channels, which they join by it; in private ones members and administrators",
  "show typing": "users in a channel they listen to, where they may send",
  "stop listening": "whoever listens to it",
  react: "users and agents that may send, and where only admins post everybody; joins a public channel",
  "take back reaction": "users and agents, their own, where they may read",
  "edit message": "users and agents, their own, where they may send",
  "delete message":
    "users and agents, their own where they may read; the channel's admins and owner, moderators, administrators any",
  pin: "the channel's admins and owner, its members where pin_policy says so; moderators, administrators",
  "report message": "users, where they may read",

  // Stickers
  "upload sticker": "users",
  "read stickers": "everybody; guests unless PARLEY_GUEST_READ is off",
  "delete sticker": "users, their own; moderators any",

  // Red packets
  "create packet": "users: public channels, which they join by it, and private ones they are in; where they may send",
  "claim packet":
    "users: public channels, which they join by it, and private ones they are in; muted ones and the sender too",
  "fund packet": "its sender",
  "cancel packet": "its sender, as long as nobody has claimed",

  // Payments. In a channel with a price, `read history` and the acts that require it are limited to users with a place
  // in it.
  "buy resource": "everybody, for payment",

  // Agents
  "log agent in": "agents: public channels, and private ones they were added to or have the password of",
  "log agent out": "agents, themselves",
  "send as agent": "agents: public channels, and private ones they were added to",
  "read as agent": "agents: public channels, and private ones they were added to",
  "read own mentions": "agents, their own",
  "stream own events": "agents: the channels they are logged in to, and their mentions",
  "list own agents":
    "users; of agents that only name them, without having been claimed in a session of theirs, no more than that",
  "pause agent": "its verified owner; moderators, whose pause the owner cannot end",
  "disown agent": "the user whom the agent names its owner, verified or not",

  // Keys
  "get verification code": "everybody",
  "claim key":
    "whoever was given the code; the session's user owns the agent, or the user in `x-username` as a label, or a new anonymous one. A lost answer is not repeated: recover",
  "recover key": "whoever was given the code and posted it with the account that claimed",
  "ask for keys": "everybody; which keys, the user himself",
  "rotate key": "the agent, by any of its keys; its verified owner",
  "revoke key": "the agent, by any of its keys; its verified owner; administrators",

  // Administration
  "see health": "administrators",
  "list users": "administrators",
  "suspend user": "administrators; nobody himself, nor who stands as high",
  "give level": "owners of the site; nobody to himself, nor to who stands as high",
  "handle reports": "moderators",
  "restore channel": "administrators",
  "read audit log": "administrators",
  "handle payouts": "administrators",
  "see payments": "administrators",
  "sell resources": "administrators",
} as const satisfies Record<string, string>;

/** An act of the rights table. */
export type Right = keyof typeof RIGHTS;

/** Describes who may call a route: one sentence for each act. */
export function describeRights(rights: Right | readonly Right[]): string {
  return [rights]
    .flat()
    .map((right) => `${right}: ${RIGHTS[right]}`)
    .join(". ");
}

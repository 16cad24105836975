/**
 * The acts of the rights table (protocol §1), each with a description for the API document of who may perform it.
 * Routes and socket commands declare the acts they perform. test/rights/rights.test.ts checks every act as every kind
 * of caller on every kind of object; its expectations are in test/support/rights/table.ts.
 */
export const RIGHTS = {
  // The service itself
  "see the service": "everybody",
  "read metrics": "callers on this machine and callers with the metrics token; with PARLEY_METRICS_PUBLIC everybody",

  // Accounts
  register: "everybody",
  "log in": "everybody",
  "use reset link": "everybody who has the link",
  "ask for new password": "everybody",
  "use confirmation link": "everybody who has the link",
  "own address": "the user themselves",
  "use claim link": "everybody who has the link",
  "answer challenge": "everybody who has the challenge of a login, which only the right password gives",
  "own second factors": "the user themselves",
  "add passkey": "the user themselves, where the server has a host name",
  "log in by passkey": "everybody who has the passkey",
  "own sessions": "the user themselves",
  "own identities": "the user themselves",
  "link identity": "the user themselves, with a login by the provider",
  "announce logout": "the OpenID Connect provider, which signs it",
  "own security notices": "the user themselves",
  "own blocks": "the user themselves",
  "own invitations": "users",
  "invite by mail": "administrators",
  "revoke invitation": "the user who made it; administrators",
  block: "users; they can block any other user or agent",
  "read profiles": "everybody; guests unless PARLEY_GUEST_READ is off",
  "find users": "users",
  "update user": "the user themselves; administrators, if the user has a lower level; owners of the site",
  "clear profile":
    "the user themselves; moderators and administrators, if the user has a lower level; owners of the site (audited)",
  "prove wallet": "the user themselves",
  "read points": "the user themselves; administrators",
  "copy own data": "the user themselves",
  "delete account":
    "the user themselves; administrators whose level is higher than the user's. All callers confirm with their own password",

  // Channels. Outsiders get `password_required` for a private channel, and for an invitation-only one the error of a
  // missing channel.
  "list channels":
    "everybody; guests unless PARLEY_GUEST_READ is off. The list holds public channels, private ones with a password, and the caller's own",
  "read history":
    "in public channels everybody (guests unless PARLEY_GUEST_READ is off); in private ones members, agents that were added, and administrators, whose access is audited",
  "create channel": "users; the creator owns it",
  "update channel": "the channel's admins and owner; administrators",
  "limit age": "the channel's owner; administrators",
  "rule approvals": "the channel's owner; administrators",
  "hand over channel": "the channel's owner; administrators",
  "delete channel": "the channel's owner; administrators",
  "copy channel":
    "the channel's owner; administrators (audited); both users of a direct conversation; in a channel with a price, everybody who pays",
  "join channel":
    "users and agents: public channels, and private ones with the password; administrators without it (audited). A channel with a price must be paid for, except by administrators",
  "leave channel":
    "members; the owner must hand the channel over first. Leaving a direct conversation hides it until somebody writes again. An agent is logged out",
  "mark as read": "members",
  "own channel preferences": "the user themselves, for channels they are members of",
  "own notifications": "the user themselves",
  "end digests by token": "everybody who has the token, which is in each of the mails",
  "own scheduled messages": "the user themselves",
  "change scheduled message": "the user themselves, until it is sent",
  "change own scheduled message": "agents: their own, until it is sent",
  "own saved messages": "the user themselves",
  "make reminder": "users, of messages that they may read",
  "own reminders": "the user themselves",
  "change reminder": "the user themselves",
  "end push subscription": "the user themselves; it also ends with the session that made it",
  "open conversation": "users, with any other user, unless one has blocked the other",
  "talk with agent":
    "everybody, the agent's verified owner (the default) or nobody, as its owner or an administrator decides, unless the user has blocked it",
  moderate:
    "the channel's admins and owner; moderators (in public channels); administrators. Only against people of a lower rank",
  "give roles": "the channel's owner; administrators",

  // Messages
  send: "in public channels users, who join by sending; in private ones members and administrators",
  "show typing": "users, in a channel they are subscribed to and may send in",
  "stop listening": "every subscriber of the channel",
  react:
    "users and agents that may send; in channels where only admins post, everybody. Reacting joins a public channel",
  "take back reaction": "users and agents: their own, in channels they may read",
  "edit message": "users and agents: their own, in channels they may send in",
  "delete message":
    "users and agents: their own, in channels they may read; the channel's admins and owner, moderators and administrators: any",
  "remove preview": "whoever may delete the message",
  "read preview pictures": "whoever may read the message that shows the picture. To all others it does not exist",
  pin: "the channel's admins and owner; its members, and agents that were added to it and may write, if pin_policy allows it; moderators; administrators",
  "own threads": "the user themselves",
  "follow thread": "users, in channels they may read",
  "lock thread": "the channel's admins and owner; moderators (in public channels); administrators",
  "save message": "users, in channels they may read",
  "forward message": "users, from channels they may read",
  "find sources":
    "whoever may read the forwarded message and its source, not by a site level. For all others it has none",
  "report message": "users, in channels they may read",

  vote: "users, in channels they may read; voting joins a public channel. Never an agent or a guest",
  "close poll":
    "its maker, user or agent; the channel's admins and owner; moderators (in public channels); administrators",

  // Cards
  "read card": "whoever may read the message; the agent that asked, always",
  "press card":
    "the users whom the card asks, in channels they may read; answering joins a public channel. Never an agent or a guest",
  "cancel card": "the agent that asked",

  // Stickers
  "upload sticker": "users",
  "read stickers": "everybody; guests unless PARLEY_GUEST_READ is off",
  "delete sticker": "users: their own; moderators: any",
  "read emoji": "everybody; guests unless PARLEY_GUEST_READ is off",
  "add emoji": "users, or administrators only, or nobody, as PARLEY_CUSTOM_EMOJI says",
  "delete emoji": "users: those that they added; moderators: any (audited)",

  // Files
  "upload file": "users and agents",
  "read files":
    "whoever may read the message that shows the file; the uploader alone before it is sent. To all others the file does not exist",
  "describe file": "users and agents: their own; if it was sent, who may edit the message",
  "delete unsent file": "users and agents: their own, until it is sent",
  "write transcript": "the sender of the voice note, who may edit the message; agents that may send where it is",
  "remove transcript":
    "the sender of the voice note; the agent that wrote it; the channel's admins and owner, moderators and administrators",

  // Red packets
  "create packet":
    "users, in channels they may send in: public ones, which they join by it, and private ones they are members of",
  "claim packet":
    "users, also muted ones and the sender: in public channels, which they join by it, and in private ones they are members of",
  "fund packet": "the packet's sender",
  "cancel packet": "the packet's sender, until somebody claims a share",

  // Payments. In a channel with a price, `read history` and the acts that require it are limited to users with a place
  // in it.
  "buy resource": "everybody who pays",

  // Agents
  "log agent in": "agents: public channels, and private ones that they were added to or know the password of",
  "log agent out": "the agent itself",
  "send as agent": "agents: public channels, and private ones they were added to",
  "declare commands": "agents: their own; for one channel, if they may read it",
  "show own work": "agents: their own, in threads in which they may reply",
  "see agents at work": "users and agents, of the channels they belong to; agents also their own",
  "stop agents":
    "the channel's admins and moderators; the agent's verified owner; who asked the agent for what it does there, and in a direct conversation with it, its user",
  "write own streams": "agents: their own, in channels they may still send in",
  "read as agent": "agents: public channels, and private ones they were added to",
  "read own mentions": "agents: their own",
  "read own inbox": "agents: their own",
  "stream own events": "agents: the channels they are logged in to, and their mentions",
  "talk by MCP": "agents. Each tool, resource and prompt has the rights of its REST route",
  "list own agents":
    "users. Agents that only name the user as a label, without a claim in the user's session, are listed without keys and channels",
  "list agents": "administrators",
  "list invitations": "administrators",
  "create agent": "administrators, for themselves or for another user",
  "make setup code": "the agent's verified owner",
  "set up agent":
    "administrators, for themselves or for another user; other users for agents of their own, as many as PARLEY_AGENTS_PER_USER allows",
  "use setup code": "everybody who has the code",
  "pause agent": "the agent's verified owner; moderators, whose pause the owner cannot end",
  "choose who talks with agent": "the agent's verified owner; administrators",
  "see bots": "the agent's verified owner; moderators",
  "see budgets": "the agent's verified owner; moderators",
  "set budgets": "the agent's verified owner",
  "set ceilings": "moderators",
  "disown agent": "the user whom the agent names as its owner, verified or not",

  // Webhooks
  "manage channel webhooks": "the channel's admins and owner; administrators",
  "manage agent webhooks": "the agent itself; its verified owner",
  "manage incoming webhooks": "the channel's admins and owner; administrators",
  "post by webhook": "everybody who has its address",

  // Keys
  "get verification code": "everybody",
  "claim key":
    "the caller the code was issued to. The agent belongs to the session's user, to the user in `x-username` (as a label), or to a new anonymous user. A lost response is not repeated: use recover",
  "recover key": "the caller the code was issued to, after posting it with the account that claimed the agent",
  "ask for keys": "everybody; only the user themselves sees which keys",
  "rotate key": "the agent, by any of its keys; its verified owner; administrators",
  "revoke key": "the agent, by any of its keys; its verified owner; administrators",

  // Administration
  "see health": "administrators",
  "change site": "administrators, except what the environment sets",
  "list users": "administrators",
  "suspend user": "administrators; not themselves, and only users of a lower level",
  "give level": "owners of the site; not to themselves, and only to users of a lower level",
  "make reset link": "administrators; not for themselves, and only for users of a lower level",
  "remove second factors": "administrators; not their own, and only of users of a lower level",
  "handle reports": "moderators",
  "restore channel": "administrators",
  "hold channel": "administrators",
  "read audit log": "administrators",
  "see imports": "administrators",
  "find old links": "everybody, of what they may read; guests unless PARLEY_GUEST_READ is off",
  "follow old links": "everybody; to the start page if it is nothing that they may read",
  "handle payouts": "administrators",
  "see payments": "administrators",
  "sell resources": "administrators",
} as const satisfies Record<string, string>;

/** An act of the rights table. */
export type Right = keyof typeof RIGHTS;

/** Describes who may call a route: one sentence for each act. */
export function describeActs(acts: Right | readonly Right[]): string {
  return [acts]
    .flat()
    .map((act) => `${act}: ${RIGHTS[act]}`)
    .join(". ");
}

import type { Right } from "../../../src/http/rights.ts";
import { agent, anyone, guest, member, open, session, visitor } from "./callers.ts";
import {
  ADMINS,
  AGENTS,
  ALL,
  LEVEL_1,
  LEVEL_2,
  LEVEL_3,
  MEMBERS,
  NOBODY,
  OWNERS,
  type Role,
  STAFF,
  USERS,
} from "./roles.ts";
import type { Answer, Rule } from "./rule.ts";

const toEach = (roles: readonly Role[], answer: Answer): Partial<Record<Role, Answer>> =>
  Object.fromEntries(roles.map((role) => [role, answer]));

/** Muted and banned callers cannot write. In a direct conversation, only its two users can. */
const SILENCED = {
  but: { muted: "muted", banned: "banned", "muted agent": "muted", "banned agent": "banned" },
  direct: "post_policy",
} as const;
/** A file in a locked channel does not exist for outsiders. */
const HIDDEN_FILE = { outside: { locked: { others: "file_not_found" } } } as const;
/** Nobody can manage a direct conversation. */
const NOT_DIRECT = { direct: "forbidden" } as const;

/**
 * The rights table: protocol §1, completed from §2 to §5 and §11. It is written from the protocol, not from the code.
 * An act that is tried on several kinds of objects has one rule for each kind.
 */
export const TABLE: Readonly<Record<Right, Rule | Readonly<Record<string, Rule>>>> = {
  "see the service": open(ALL),
  "read metrics": open(ALL),

  register: open(ALL),
  "log in": open(ALL),
  "use reset link": open(NOBODY, { otherwise: "reset_link_expired" }),
  // The server of this test sends no mail; test/mail has the rest.
  "ask for new password": open(NOBODY, { otherwise: "mail_off" }),
  "use confirmation link": open(NOBODY, { otherwise: "confirm_link_expired" }),
  "own address": session(NOBODY, { otherwise: "mail_off" }),
  "invite by mail": session(NOBODY, { but: { "level 2": "mail_off", "level 3": "mail_off" } }),
  "use claim link": open(NOBODY, { otherwise: "claim_link_expired" }),
  "answer challenge": open(NOBODY, { otherwise: "challenge_expired" }),
  "own second factors": { own: session(USERS), "another's": session(NOBODY, { otherwise: "passkey_not_found" }) },
  // The server of this test has an address without a host name.
  "add passkey": session(NOBODY, { otherwise: "passkeys_unavailable" }),
  "log in by passkey": open(NOBODY, { otherwise: "passkeys_unavailable" }),
  "own sessions": { own: session(USERS), "another's": session(NOBODY, { otherwise: "session_not_found" }) },
  "own identities": { own: session(USERS), "another's": session(NOBODY, { otherwise: "identity_not_found" }) },
  // The rest is tested with a provider: test/accounts/oidc.
  "link identity": session(NOBODY, { otherwise: "oidc_disabled" }),
  "announce logout": open(NOBODY, { otherwise: "oidc_disabled" }),
  "read profiles": guest(ALL),
  "find users": session(USERS),
  "own security notices": session(USERS),
  "own blocks": session(USERS),
  "own invitations": session(USERS),
  "revoke invitation": { own: session(USERS), "another's": session(LEVEL_2, { otherwise: "invitation_not_found" }) },
  block: { "another's": session(USERS), own: session(NOBODY, { otherwise: "invalid_request" }) },
  "clear profile": { own: session(USERS), "another's": session(LEVEL_1), "a superior's": session(LEVEL_3) },
  "update user": { own: session(USERS), "another's": session(LEVEL_2), "a superior's": session(LEVEL_3) },
  "prove wallet": { own: session(USERS), "another's": session(NOBODY) },
  "copy own data": { own: session(USERS), "another's": session(NOBODY) },
  "delete account": { own: session(USERS), "another's": session(LEVEL_2), "a superior's": session(NOBODY) },
  "read points": { own: session(USERS), "another's": session(LEVEL_2) },

  "own channel preferences": session(USERS),
  "own notifications": session(USERS),
  "end digests by token": open(NOBODY, { otherwise: "unsubscribe_unknown" }),
  "end push subscription": {
    own: session(USERS),
    "another's": session(NOBODY, { otherwise: "subscription_not_found" }),
  },
  "own scheduled messages": session(USERS),
  "change scheduled message": {
    own: session(USERS),
    "another's": session(NOBODY, { otherwise: "scheduled_not_found" }),
  },
  "make reminder": session(USERS),
  "own reminders": session(USERS),
  "change reminder": { own: session(USERS), "another's": session(NOBODY, { otherwise: "reminder_not_found" }) },
  "change own scheduled message": { "another's": agent(NOBODY, { otherwise: "scheduled_not_found" }) },
  "own saved messages": session(USERS),
  "list channels": guest(ALL),
  "read history": guest(ALL),
  "create channel": session(USERS),
  "update channel": session(ADMINS, NOT_DIRECT),
  "limit age": session(OWNERS, NOT_DIRECT),
  "rule approvals": session(OWNERS, NOT_DIRECT),
  "hand over channel": session(OWNERS, NOT_DIRECT),
  "delete channel": session(OWNERS, NOT_DIRECT),
  "copy channel": guest(OWNERS, {
    but: toEach(["guest", "suspended"], "session_required"),
    isSold: true,
    outside: { priced: { banned: "banned" } },
  }),
  "join channel": {
    "without a password": member([...USERS, ...AGENTS], {
      but: { banned: "banned", "banned agent": "banned" },
      outside: { locked: { banned: "banned" }, priced: { banned: "banned" } },
      direct: "forbidden",
    }),
    "with its password": member([...USERS, ...AGENTS], { outside: { locked: { others: "yes", banned: "banned" } } }),
  },
  "leave channel": member([...USERS, ...AGENTS], { but: { owner: "owner_cannot_leave" } }),
  "mark as read": session(MEMBERS, { otherwise: "not_a_member" }),
  "open conversation": { "another's": session(USERS), own: session(NOBODY, { otherwise: "invalid_request" }) },
  "talk with agent": {
    own: session(USERS),
    "label's": session(NOBODY, { otherwise: "direct_not_allowed" }),
    "another's": session(NOBODY, { otherwise: "direct_not_allowed" }),
  },
  moderate: session(STAFF, NOT_DIRECT),
  "give roles": session(OWNERS, NOT_DIRECT),

  send: session(USERS, SILENCED),
  "show typing": session(USERS, SILENCED),
  react: member(ALL, SILENCED),
  "take back reaction": member(ALL),
  vote: session(USERS, SILENCED),
  "close poll": { own: member(ALL), "another's": member(STAFF, NOT_DIRECT) },
  "read card": guest(ALL),
  "press card": session(USERS, { but: { muted: "muted", banned: "banned" }, direct: "post_policy" }),
  "cancel card": { own: agent(AGENTS), "another's": agent(NOBODY, { otherwise: "interaction_not_found" }) },
  "edit message": {
    own: member(ALL, SILENCED),
    "another's": member(NOBODY, SILENCED),
  },
  "delete message": { own: member(ALL), "another's": member(STAFF) },
  "remove preview": { own: member(ALL), "another's": member(STAFF) },
  "read preview pictures": guest(ALL, { outside: { locked: { others: "preview_not_found" } } }),
  pin: {
    "where admins pin": member(STAFF),
    "where members pin": member([...MEMBERS, ...LEVEL_1, "added agent"], { but: { "muted agent": "muted" } }),
  },
  "own threads": session(USERS),
  "follow thread": session(USERS),
  "lock thread": session(STAFF, NOT_DIRECT),
  "save message": session(USERS),
  "forward message": session(USERS),
  "find sources": guest(ALL),
  "report message": session(USERS),
  "stop listening": open(ALL, {
    outside: { locked: { others: "channel_not_found" }, priced: { others: "channel_not_found" } },
  }),

  "create packet": session(USERS, {
    ...SILENCED,
    outside: { locked: { others: "not_a_member" }, priced: { others: "not_a_member" } },
    byLevel: "not_a_member",
  }),
  "claim packet": session(USERS, { but: { banned: "not_eligible" }, byLevel: "not_eligible" }),
  // The trials use red packets of points, which are funded at once.
  "fund packet": { own: session(NOBODY, { otherwise: "packet_not_active" }), "another's": session(NOBODY) },
  "cancel packet": { own: session(USERS), "another's": session(NOBODY) },

  "buy resource": { offered: anyone(NOBODY, { otherwise: "payment_required" }) },

  "upload sticker": session(USERS),
  "read stickers": guest(ALL),
  "delete sticker": { own: session(USERS), "another's": session(LEVEL_1, { otherwise: "sticker_not_found" }) },
  "read emoji": guest(ALL),
  "add emoji": session(USERS),
  "delete emoji": { own: session(USERS), "another's": session(LEVEL_1) },

  "upload file": member([...USERS, ...AGENTS]),
  "read files": { own: guest(USERS), "another's": guest(NOBODY, { otherwise: "file_not_found" }) },
  "write transcript": {
    own: member(ALL, { ...SILENCED, ...HIDDEN_FILE }),
    "another's": member(AGENTS, { ...SILENCED, ...HIDDEN_FILE }),
  },
  "remove transcript": { own: member(ALL, HIDDEN_FILE), "another's": member(STAFF, HIDDEN_FILE) },
  "describe file": { own: member(USERS), "another's": member(NOBODY, { otherwise: "file_not_found" }) },
  "delete unsent file": { own: member(USERS), "another's": member(NOBODY, { otherwise: "file_not_found" }) },

  "log agent in": agent(AGENTS, {
    but: { "banned agent": "banned" },
    outside: { locked: { banned: "banned" }, priced: { banned: "banned" } },
  }),
  "log agent out": agent(AGENTS),
  "send as agent": agent(AGENTS, SILENCED),
  "declare commands": agent(AGENTS),
  "show own work": agent(AGENTS, SILENCED),
  "see agents at work": member([...USERS, ...AGENTS]),
  "stop agents": session(STAFF, NOT_DIRECT),
  "write own streams": agent(NOBODY, { otherwise: "stream_not_found" }),
  "read as agent": agent(AGENTS),
  "read own mentions": agent(AGENTS),
  "read own inbox": agent(AGENTS),
  "stream own events": agent(AGENTS),
  "talk by MCP": agent(AGENTS),
  "list own agents": session(USERS),
  "list agents": session(LEVEL_2),
  "create agent": session(LEVEL_2),
  "make setup code": { own: session(USERS), "label's": session(NOBODY), "another's": session(NOBODY) },
  "set up agent": session(USERS),
  "use setup code": open(ALL),
  "choose who talks with agent": {
    own: session(USERS),
    "label's": session(LEVEL_2),
    "another's": session(LEVEL_2),
  },
  "pause agent": { own: session(USERS), "label's": session(LEVEL_1), "another's": session(LEVEL_1) },
  "see bots": { own: session(USERS), "label's": session(LEVEL_1), "another's": session(LEVEL_1) },
  "see budgets": { own: session(USERS), "label's": session(LEVEL_1), "another's": session(LEVEL_1) },
  "set budgets": { own: session(USERS), "label's": session(NOBODY), "another's": session(NOBODY) },
  "set ceilings": { own: session(LEVEL_1), "label's": session(LEVEL_1), "another's": session(LEVEL_1) },
  "disown agent": { own: session(USERS), "label's": session(USERS), "another's": session(NOBODY) },

  "manage channel webhooks": member(ADMINS, NOT_DIRECT),
  "manage incoming webhooks": session(ADMINS, NOT_DIRECT),
  "manage agent webhooks": {
    own: member(ALL),
    "label's": member(NOBODY),
    "another's": member(NOBODY),
    // Agents can name only themselves, so they get `forbidden`.
    absent: member(NOBODY, { otherwise: "agent_not_found", but: toEach(AGENTS, "forbidden") }),
  },
  "post by webhook": open(ALL),

  "get verification code": open(ALL),
  "claim key": { own: visitor(ALL), "another's": visitor(NOBODY, { otherwise: "code_not_yours" }) },
  "recover key": { own: visitor(ALL), "another's": visitor(NOBODY, { otherwise: "code_not_yours" }) },
  "ask for keys": visitor(ALL),
  "rotate key": {
    own: member(ALL),
    "label's": member(LEVEL_2),
    "another's": member(LEVEL_2),
    // Agents can name only themselves, so they get `forbidden`.
    absent: member(NOBODY, { otherwise: "agent_not_found", but: toEach(AGENTS, "forbidden") }),
  },
  "revoke key": {
    own: member(ALL),
    "label's": member(LEVEL_2),
    "another's": member(LEVEL_2, { otherwise: "key_not_found" }),
  },

  "see health": session(LEVEL_2),
  "change site": session(LEVEL_2),
  "list invitations": session(LEVEL_2),
  "list users": session(LEVEL_2),
  "suspend user": {
    own: session(NOBODY),
    "another's": session(LEVEL_2),
    "a superior's": session(NOBODY),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "user_not_found") }),
  },
  "give level": {
    own: session(NOBODY),
    "another's": session(LEVEL_3),
    "a superior's": session(NOBODY),
    absent: session(NOBODY, { but: toEach(LEVEL_3, "user_not_found") }),
  },
  "make reset link": {
    own: session(NOBODY),
    "another's": session(LEVEL_2),
    "a superior's": session(NOBODY),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "user_not_found") }),
  },
  "remove second factors": {
    own: session(NOBODY),
    "another's": session(LEVEL_2),
    "a superior's": session(NOBODY),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "user_not_found") }),
  },
  "handle reports": {
    "another's": session(LEVEL_1),
    absent: session(NOBODY, { but: toEach(LEVEL_1, "report_not_found") }),
  },
  "restore channel": {
    deleted: session(LEVEL_2),
    standing: session(NOBODY, { but: toEach(LEVEL_2, "channel_not_deleted") }),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "channel_not_found") }),
  },
  "hold channel": {
    deleted: session(LEVEL_2),
    standing: session(LEVEL_2),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "channel_not_found") }),
  },
  "read audit log": session(LEVEL_2),
  "see imports": session(LEVEL_2),
  "find old links": guest(NOBODY, { otherwise: "message_not_found" }),
  "follow old links": visitor(ALL),
  "see payments": session(LEVEL_2),
  "sell resources": {
    offered: session(LEVEL_2),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "resource_not_found") }),
  },
  "handle payouts": {
    all: session(LEVEL_2),
    settled: session(NOBODY, { but: toEach(LEVEL_2, "payout_not_failed") }),
    absent: session(NOBODY, { but: toEach(LEVEL_2, "payout_not_found") }),
  },
};

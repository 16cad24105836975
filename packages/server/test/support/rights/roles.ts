/**
 * People with a level on the site are in no channel; those from `member` to `owner` are in each, and the banned one in
 * none.
 */
export const USERS = ["user", "member", "muted", "banned", "admin", "owner", "level 1", "level 2", "level 3"] as const;
/** Agents in all channels, except the first one, which was added to none, and the banned one. */
export const AGENTS = ["agent", "added agent", "muted agent", "banned agent"] as const;
/** Every kind of caller. `suspended` sends the cookie from before the suspension. */
export const ROLES = ["guest", "suspended", ...USERS, ...AGENTS, "paused agent", "revoked key"] as const;
export type UserRole = (typeof USERS)[number];
export type AgentRole = (typeof AGENTS)[number];
export type Role = (typeof ROLES)[number];
export const isUser = (role: Role): role is UserRole => (USERS as readonly Role[]).includes(role);
export const isAgent = (role: Role): role is AgentRole => (AGENTS as readonly Role[]).includes(role);

/**
 * The place of a channel or message. `priced`: public, with a price to join and read. `direct`: a conversation of two
 * others. `deleted`: in a deleted channel.
 */
export type Place = "public" | "priced" | "locked" | "hidden" | "direct" | "deleted" | "absent";

/** The object of an act: a place, its owner (a name in the rules of the act), or both. */
export interface Target {
  readonly place?: Place;
  readonly of?: string;
}

// The objects that the rules mention.
export const ALL = ROLES;
export const NOBODY: readonly Role[] = [];
export const LEVEL_3: readonly Role[] = ["level 3"];
export const LEVEL_2: readonly Role[] = ["level 2", "level 3"];
export const LEVEL_1: readonly Role[] = ["level 1", "level 2", "level 3"];
export const OWNERS: readonly Role[] = ["owner", ...LEVEL_2];
export const ADMINS: readonly Role[] = ["admin", "owner", ...LEVEL_2];
export const STAFF: readonly Role[] = ["admin", "owner", ...LEVEL_1];
export const MEMBERS: readonly Role[] = ["member", "muted", "admin", "owner"];

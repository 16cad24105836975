/**
 * The user roles. `member`, `muted`, `admin` and `owner` are in every test channel. `banned`, `user` and the users with
 * a site level are in none.
 */
export const USERS = ["user", "member", "muted", "banned", "admin", "owner", "level 1", "level 2", "level 3"] as const;
/**
 * The agent roles. `added agent` and `muted agent` are in every test channel; `agent` and `banned agent` are in none.
 */
export const AGENTS = ["agent", "added agent", "muted agent", "banned agent"] as const;
/** Every kind of caller. `suspended` sends a session cookie from before the suspension. */
export const ROLES = ["guest", "suspended", ...USERS, ...AGENTS, "paused agent", "revoked key"] as const;
export type UserRole = (typeof USERS)[number];
export type AgentRole = (typeof AGENTS)[number];
export type Role = (typeof ROLES)[number];
export const isUser = (role: Role): role is UserRole => (USERS as readonly Role[]).includes(role);
export const isAgent = (role: Role): role is AgentRole => (AGENTS as readonly Role[]).includes(role);

/**
 * The kind of channel that an act is tried in. `priced`: public, with a price to join and read. `direct`: a
 * conversation of two other users. `deleted`: a deleted channel. `absent`: a channel that does not exist.
 */
export type Place = "public" | "priced" | "locked" | "hidden" | "direct" | "deleted" | "absent";

/** The object of an act: a place, an owner (named as in the rules of the act), or both. */
export interface Target {
  readonly place?: Place;
  readonly of?: string;
}

// Sets of roles for the rules.
export const ALL = ROLES;
export const NOBODY: readonly Role[] = [];
export const LEVEL_3: readonly Role[] = ["level 3"];
export const LEVEL_2: readonly Role[] = ["level 2", "level 3"];
export const LEVEL_1: readonly Role[] = ["level 1", "level 2", "level 3"];
export const OWNERS: readonly Role[] = ["owner", ...LEVEL_2];
export const ADMINS: readonly Role[] = ["admin", "owner", ...LEVEL_2];
export const STAFF: readonly Role[] = ["admin", "owner", ...LEVEL_1];
export const MEMBERS: readonly Role[] = ["member", "muted", "admin", "owner"];

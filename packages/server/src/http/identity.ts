import type { AgentScope } from "@parley/protocol/key-grants";
import { fail } from "../errors.ts";

/**
 * `u<user id>` or `a<agent id>`: the account across its sessions or keys, as limits, caches and control messages
 * identify it.
 */
export type MemberKey = `u${number}` | `a${number}`;

/** The account that a `MemberKey` identifies. */
export interface MemberRef {
  readonly kind: "user" | "agent";
  readonly id: number;
}

/** Returns the account's key in caches, payments and control messages. */
export const memberKey = ({ kind, id }: MemberRef): MemberKey => (kind === "user" ? `u${id}` : `a${id}`);

/** Inverse of `memberKey`. Returns null for any other text, such as the principal of guests. */
export function parseMemberKey(key: string): MemberRef | null {
  const [, letter, id] = /^([ua])(\d+)$/.exec(key) ?? [];
  return letter === undefined ? null : { kind: letter === "u" ? "user" : "agent", id: Number(id) };
}

/** A user's session, as the cache holds it. */
export interface UserIdentity {
  readonly kind: "user";
  readonly sessionId: number;
  readonly userId: number;
  /** Built once, so that requests do not build a string for each lookup. */
  readonly key: MemberKey;
  readonly username: string;
  readonly adminLevel: number | null;
  readonly honorLevel: number;
  /** Epoch ms of the last time the password was entered in this session. */
  readonly authenticatedAt: number;
  /** The site requires a second factor, and the account has none: until then, nothing else can be done. */
  readonly lacksFactor: boolean;
}

/** An agent behind a valid API key. */
export interface AgentIdentity {
  readonly kind: "agent";
  readonly keyId: string;
  readonly agentId: number;
  readonly key: MemberKey;
  /** Absent if the key may do everything, everywhere. */
  readonly limits?: KeyLimits;
}

/** The scopes and channels of a key; null: everything, or everywhere. They never change. */
export interface KeyLimits {
  readonly scopes: ReadonlySet<AgentScope> | null;
  readonly channels: ReadonlySet<number> | null;
}

export interface GuestIdentity {
  readonly kind: "guest";
}

/** The caller of a request. */
export type Identity = UserIdentity | AgentIdentity | GuestIdentity;

export const GUEST: GuestIdentity = { kind: "guest" };

/** @throws second_factor_setup_required for a user who must set one up first */
export function assertSetUp(identity: Identity): void {
  if (identity.kind === "user" && identity.lacksFactor) throw fail("second_factor_setup_required");
}

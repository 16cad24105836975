/** `u<user id>` or `a<agent id>`: the account, over all its sessions or keys, as limits, caches and control name it. */
export type MemberKey = `u${number}` | `a${number}`;

/** A person's session, as the cache holds it. */
export interface UserIdentity {
  readonly kind: "user";
  readonly sessionId: number;
  readonly userId: number;
  /** Made once: a text that is put together for each request is paid for at each look-up. */
  readonly key: MemberKey;
  readonly username: string;
  readonly adminLevel: number | null;
  readonly honorLevel: number;
  /** Epoch ms of the last time the password was shown in this session. */
  readonly authenticatedAt: number;
}

/** An agent behind a valid API key. */
export interface AgentIdentity {
  readonly kind: "agent";
  readonly keyId: string;
  readonly agentId: number;
  readonly key: MemberKey;
}

export interface GuestIdentity {
  readonly kind: "guest";
}

/** Who calls. */
export type Identity = UserIdentity | AgentIdentity | GuestIdentity;

export const GUEST: GuestIdentity = { kind: "guest" };

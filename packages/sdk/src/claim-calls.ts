import type {
  AgentAnswer,
  ClaimedKeyAnswer,
  ClaimNetworksAnswer,
  KeyStatusAnswer,
  OwnedAgentsAnswer,
  OwnedAgentsQuery,
  RecoverBody,
  RevokeAnswer,
  RotateAnswer,
  RotateBody,
  VerificationCodeAnswer,
  VerificationCodeQuery,
  VerifyTweetBody,
} from "@parley/protocol/claims";
import type { Http } from "./http.ts";

const KEYS = "/api/agenthub/agent-api-key";

/** The owner of the agent if there is no session: an existing user, as a label only. */
export interface RedeemOptions {
  xUsername?: string | undefined;
}

/**
 * Claims an agent's key with a social post, and manages the agent afterwards (protocol §5). Only the caller who fetched
 * a code may redeem it: send its `claim_token` with the post, from any process. The client also keeps the cookie of the
 * last code (in browsers, the browser does). Every method throws `ParleyError`.
 */
export class ClaimCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the networks whose posts can claim a key, and the user who would own the agent. */
  networks(): Promise<ClaimNetworksAnswer> {
    return this.#http.json({ method: "GET", path: `${KEYS}/networks` });
  }

  /**
   * Fetches a code, its secret token and the sentence to post: for a first key or, with `purpose: "recover"` and the
   * agent's name or number, for a new key of that agent. Each call returns another code; redeeming the previous one
   * then needs its token.
   */
  getCode(query: VerificationCodeQuery = {}): Promise<VerificationCodeAnswer> {
    return this.#http.json({ method: "GET", path: `${KEYS}/verification-code`, query, impatient: true });
  }

  /**
   * Returns the key for a post that contains the sentence; shown only once. If the answer is lost, get a code for
   * recovery and call `recover`.
   */
  redeem(body: VerifyTweetBody, { xUsername }: RedeemOptions = {}): Promise<ClaimedKeyAnswer> {
    const headers: Record<string, string> = xUsername === undefined ? {} : { "x-username": xUsername };
    return this.#http.json({ method: "POST", path: `${KEYS}/verify-tweet`, body, headers, impatient: true });
  }

  /**
   * Returns a new key for the agent that the same social account claimed before, and revokes the earlier ones. Needs a
   * code for recovery.
   */
  recover(body: RecoverBody): Promise<ClaimedKeyAnswer> {
    return this.#http.json({ method: "POST", path: `${KEYS}/recover`, body, impatient: true });
  }

  /** Returns whether the user has a key and, with the user's own session, which ones. */
  status(username: string): Promise<KeyStatusAnswer> {
    return this.#http.json({ method: "GET", path: KEYS, headers: { "x-username": username } });
  }

  /**
   * Issues a new key for an agent: the agent of this client's key, or one of the session's user. The old keys work for
   * `grace_seconds` more.
   */
  rotate(body: RotateBody = {}): Promise<RotateAnswer> {
    return this.#http.json({ method: "POST", path: `${KEYS}/rotate`, body });
  }

  /** Revokes a key at once. Idempotent. */
  revoke(keyId: string): Promise<RevokeAnswer> {
    return this.#http.json({ method: "DELETE", path: `${KEYS}/${encodeURIComponent(keyId)}`, repeatable: true });
  }

  /** Lists the session user's agents, newest first. */
  agents(query: OwnedAgentsQuery = {}): Promise<OwnedAgentsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/agents", query });
  }

  /** Rejects an agent's keys until `resume`. */
  pause(agentId: number): Promise<AgentAnswer> {
    return this.#setPaused(agentId, true);
  }

  resume(agentId: number): Promise<AgentAnswer> {
    return this.#setPaused(agentId, false);
  }

  #setPaused(agentId: number, paused: boolean): Promise<AgentAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/agents/${agentId}`, body: { paused }, repeatable: true });
  }

  /** Removes the session's user as owner of an agent. */
  disown(agentId: number): Promise<AgentAnswer> {
    return this.#http.json({ method: "DELETE", path: `/api/agents/${agentId}/owner` });
  }
}

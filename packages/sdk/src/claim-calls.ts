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

/** Whom the agent is to belong to, when no session says so: an existing user, as a label only. */
export interface RedeemOptions {
  xUsername?: string | undefined;
}

/**
 * Claiming an agent's key with a social post, and what its owner decides afterwards (protocol §5). Only the caller who
 * fetched a code may redeem it: send its `claim_token` with the post, from whatever process. The client also keeps the cookie of the
 * last code (in browsers, the browser does). Every method throws `ParleyError`.
 */
export class ClaimCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Where a post may be written that claims a key, and whose agent it would be. */
  networks(): Promise<ClaimNetworksAnswer> {
    return this.#http.json({ method: "GET", path: `${KEYS}/networks` });
  }

  /**
   * Fetches a code, its secret token and the sentence to post: for a first key or, with `purpose: "recover"` and the agent's name or
   * number, for a new key of that agent. Asked again, it is another code; the former one then needs its token.
   */
  getCode(query: VerificationCodeQuery = {}): Promise<VerificationCodeAnswer> {
    return this.#http.json({ method: "GET", path: `${KEYS}/verification-code`, query, impatient: true });
  }

  /** Gets the key for a post that holds the sentence; shown this once. When the answer is lost: a code for recovery, and `recover`. */
  redeem(body: VerifyTweetBody, { xUsername }: RedeemOptions = {}): Promise<ClaimedKeyAnswer> {
    const headers: Record<string, string> = xUsername === undefined ? {} : { "x-username": xUsername };
    return this.#http.json({ method: "POST", path: `${KEYS}/verify-tweet`, body, headers, impatient: true });
  }

  /** Gets a new key for the agent that the same social account has claimed before; the earlier ones end. Needs a code for recovery. */
  recover(body: RecoverBody): Promise<ClaimedKeyAnswer> {
    return this.#http.json({ method: "POST", path: `${KEYS}/recover`, body, impatient: true });
  }

  /** Has the user a key? With his own session, which. */
  status(username: string): Promise<KeyStatusAnswer> {
    return this.#http.json({ method: "GET", path: KEYS, headers: { "x-username": username } });
  }

  /** A new key for an agent: of this client's key, or one of the session's user. The old ones work for `grace_seconds` more. */
  rotate(body: RotateBody = {}): Promise<RotateAnswer> {
    return this.#http.json({ method: "POST", path: `${KEYS}/rotate`, body });
  }

  /** Ends a key at once. Again changes nothing. */
  revoke(keyId: string): Promise<RevokeAnswer> {
    return this.#http.json({ method: "DELETE", path: `${KEYS}/${encodeURIComponent(keyId)}`, repeatable: true });
  }

  /** The session user's agents, newest first. */
  agents(query: OwnedAgentsQuery = {}): Promise<OwnedAgentsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/agents", query });
  }

  /** Refuses an agent's keys until `resume`. */
  pause(agentId: number): Promise<AgentAnswer> {
    return this.#setPaused(agentId, true);
  }

  resume(agentId: number): Promise<AgentAnswer> {
    return this.#setPaused(agentId, false);
  }

  #setPaused(agentId: number, paused: boolean): Promise<AgentAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/agents/${agentId}`, body: { paused }, repeatable: true });
  }

  /** Takes the session user's name off an agent. */
  disown(agentId: number): Promise<AgentAnswer> {
    return this.#http.json({ method: "DELETE", path: `/api/agents/${agentId}/owner` });
  }
}

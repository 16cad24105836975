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
  VerifyTweetBody,
} from "@parley/protocol/claims";
import type { Http } from "./http.ts";

const KEYS = "/api/agenthub/agent-api-key";

/** Whom the agent is to belong to, when no session says so: an existing user, as a label only. */
export interface RedeemOptions {
  xUsername?: string | undefined;
}

/**
 * Claiming an agent's key with a social post, and what its owner decides afterwards (contract, sections 5 and 11). A code must be redeemed
 * by the client that got it: the claim's cookie is kept here, in browsers by the browser. Every method throws `ParleyError`.
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

  /** A code, and a text to post that holds it. Asked again, it is another code and the former one is not this client's any more. */
  getCode(): Promise<VerificationCodeAnswer> {
    return this.#http.json({ method: "GET", path: `${KEYS}/verification-code`, impatient: true });
  }

  /** The key for a post that holds the code; shown this once. When the answer is lost: a fresh code, and `recover`. */
  redeem(body: VerifyTweetBody, { xUsername }: RedeemOptions = {}): Promise<ClaimedKeyAnswer> {
    const headers: Record<string, string> = xUsername === undefined ? {} : { "x-username": xUsername };
    return this.#http.json({ method: "POST", path: `${KEYS}/verify-tweet`, body, headers, impatient: true });
  }

  /** A new key for the agent that the same social account has claimed before; the earlier ones end. Needs a fresh code. */
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

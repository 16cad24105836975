import type {
  ClaimedKeyResponse,
  ClaimNetworksResponse,
  KeyStatusResponse,
  RecoverBody,
  RevokeResponse,
  RotateBody,
  RotateResponse,
  VerificationCodeQuery,
  VerificationCodeResponse,
  VerifyTweetBody,
} from "@parley/protocol/claims";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

const KEYS = "/api/agenthub/agent-api-key";

export interface RedeemOptions extends RequestOptions {
  /** The owner of the agent if there is no session: an existing user, as a label only. */
  xUsername?: string | undefined;
}

/**
 * Claims an agent's key with a social post, and replaces and revokes keys (protocol §5). Only the caller who fetched
 * a code may redeem it: send its `claim_token` with the post, from any process. The client also keeps the cookie of the
 * last code (in browsers, the browser does). Every method throws `ParleyError`.
 */
export class KeyClaims {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the networks whose posts can claim a key, and the user who would own the agent. */
  networks(options?: RequestOptions): Promise<ClaimNetworksResponse> {
    return this.#http.json({ method: "GET", path: `${KEYS}/networks` }, options);
  }

  /**
   * Fetches a code, its secret token and the sentence to post: for a first key or, with `purpose: "recover"` and the
   * agent's name or number, for a new key of that agent. Each call returns another code; redeeming the previous one
   * then needs its token.
   */
  getCode(query: VerificationCodeQuery = {}, options?: RequestOptions): Promise<VerificationCodeResponse> {
    return this.#http.json({ method: "GET", path: `${KEYS}/verification-code`, query, noWait: true }, options);
  }

  /**
   * Returns the key for a post that contains the sentence; shown only once. If the answer is lost, get a code for
   * recovery and call `recover`.
   */
  redeem(body: VerifyTweetBody, { xUsername, ...options }: RedeemOptions = {}): Promise<ClaimedKeyResponse> {
    const headers: Record<string, string> = xUsername === undefined ? {} : { "x-username": xUsername };
    return this.#http.json({ method: "POST", path: `${KEYS}/verify-tweet`, body, headers, noWait: true }, options);
  }

  /**
   * Returns a new key for the agent that the same social account claimed before, and revokes the earlier ones. Needs a
   * code for recovery.
   */
  recover(body: RecoverBody, options?: RequestOptions): Promise<ClaimedKeyResponse> {
    return this.#http.json({ method: "POST", path: `${KEYS}/recover`, body, noWait: true }, options);
  }

  /** Returns whether the user has a key and, with the user's own session, which ones. */
  status(username: string, options?: RequestOptions): Promise<KeyStatusResponse> {
    return this.#http.json({ method: "GET", path: KEYS, headers: { "x-username": username } }, options);
  }

  /**
   * Issues a new key for an agent: the agent of this client's key, or one of the session's user. The old keys work for
   * `grace_seconds` more.
   */
  rotate(body: RotateBody = {}, options?: RequestOptions): Promise<RotateResponse> {
    return this.#http.json({ method: "POST", path: `${KEYS}/rotate`, body }, options);
  }

  /** Revokes a key at once. Idempotent. */
  revoke(keyId: string, options?: RequestOptions): Promise<RevokeResponse> {
    return this.#http.json(
      { method: "DELETE", path: `${KEYS}/${encodeURIComponent(keyId)}`, idempotent: true },
      options,
    );
  }
}

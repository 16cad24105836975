import type {
  AvatarsAnswer,
  LoginAnswer,
  LoginBody,
  MessageAnswer,
  RegisterAnswer,
  RegisterBody,
  SessionsAnswer,
  UpdateUserAnswer,
  UpdateUserBody,
  UserAnswer,
} from "@parley/protocol/accounts";
import type { BlockAnswer, BlocksAnswer, UnblockAnswer } from "@parley/protocol/blocks";
import type { HonorAnswer, PointsAnswer, PointsQuery } from "@parley/protocol/points";
import type { DeleteUserAnswer } from "@parley/protocol/privacy";
import type {
  DismissNoticesAnswer,
  SecurityNoticesAnswer,
  SecurityNoticesQuery,
} from "@parley/protocol/security-notices";
import type {
  WalletChallengeAnswer,
  WalletChallengeBody,
  WalletProofAnswer,
  WalletProofBody,
} from "@parley/protocol/wallets";
import type { Http } from "./http.ts";

/** Accounts and sessions (protocol §1, §2). Every method throws `ParleyError`. */
export class AccountCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Registers a user and logs in: later calls of this client are made as that user. */
  register(body: RegisterBody): Promise<RegisterAnswer> {
    return this.#http.json({ method: "POST", path: "/api/auth/register", body, impatient: true });
  }

  /** Logs in: later calls of this client are made as that user. Throws a 429 at once, because a person is waiting. */
  login(body: LoginBody): Promise<LoginAnswer> {
    return this.#http.json({ method: "POST", path: "/api/auth/login", body, impatient: true });
  }

  /** Ends this session. */
  logout(): Promise<MessageAnswer> {
    return this.#http.json({ method: "POST", path: "/api/auth/logout" });
  }

  /** Lists the user's sessions. */
  sessions(): Promise<SessionsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/auth/sessions" });
  }

  endSession(sessionId: number): Promise<MessageAnswer> {
    return this.#http.json({ method: "DELETE", path: `/api/auth/sessions/${sessionId}` });
  }

  /** Ends all of the user's sessions but this one. */
  endOtherSessions(): Promise<MessageAnswer> {
    return this.#http.json({ method: "DELETE", path: "/api/auth/sessions", repeatable: true });
  }

  user(username: string): Promise<UserAnswer> {
    return this.#http.json({ method: "GET", path: userPath(username) });
  }

  updateUser(username: string, body: UpdateUserBody): Promise<UpdateUserAnswer> {
    return this.#http.json({ method: "PUT", path: userPath(username), body });
  }

  /** Returns a text to sign with the wallet, for `proveWallet`, as proof that the wallet is the user's. */
  challengeWallet(username: string, body: WalletChallengeBody): Promise<WalletChallengeAnswer> {
    return this.#http.json({ method: "POST", path: `${userPath(username)}/wallets/challenge`, body });
  }

  /** Adds the wallet's address to the profile, as proven. */
  proveWallet(username: string, body: WalletProofBody): Promise<WalletProofAnswer> {
    return this.#http.json({ method: "POST", path: `${userPath(username)}/wallets/proof`, body });
  }

  /**
   * Returns which of up to 100 users have an avatar, with a version that changes with it. Users without one are
   * omitted.
   */
  avatars(usernames: readonly string[]): Promise<AvatarsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/avatars", query: { usernames: usernames.join(",") } });
  }

  /** Returns the bytes and media type of a user's avatar. Errors: `avatar_not_found`. */
  avatar(username: string): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: `${userPath(username)}/avatar` });
  }

  honor(username: string): Promise<HonorAnswer> {
    return this.#http.json({ method: "GET", path: `${userPath(username)}/honor` });
  }

  /** Lists changes of the user's points, newest first. */
  points(username: string, query: PointsQuery = {}): Promise<PointsAnswer> {
    return this.#http.json({ method: "GET", path: `${userPath(username)}/points`, query });
  }

  /** Lists the users and agents that the user has blocked. */
  blocks(): Promise<BlocksAnswer> {
    return this.#http.json({ method: "GET", path: "/api/blocks" });
  }

  /** Blocks a user or an agent: no direct conversation, no notifications of mentions. */
  block(name: string): Promise<BlockAnswer> {
    return this.#http.json({ method: "PUT", path: blockPath(name), repeatable: true });
  }

  unblock(name: string): Promise<UnblockAnswer> {
    return this.#http.json({ method: "DELETE", path: blockPath(name), repeatable: true });
  }

  /** Lists changes to the security of the user's account, newest first. */
  securityNotices(query: SecurityNoticesQuery = {}): Promise<SecurityNoticesAnswer> {
    return this.#http.json({ method: "GET", path: "/api/security-notices", query });
  }

  /** Dismisses the user's security notices up to that one. */
  dismissSecurityNotices(upToNoticeId: number): Promise<DismissNoticesAnswer> {
    const body = { up_to_notice_id: upToNoticeId };
    return this.#http.json({ method: "POST", path: "/api/security-notices/dismiss", body, repeatable: true });
  }

  /**
   * Deletes an account for good: the caller's, or as an administrator one of a lower level. `password` is always the
   * caller's.
   */
  deleteUser(username: string, password: string): Promise<DeleteUserAnswer> {
    return this.#http.json({ method: "DELETE", path: userPath(username), body: { password }, impatient: true });
  }

  /**
   * Returns all of the user's data, as the text of one JSON document (`UserExport`). A document that does not end with
   * `"complete":true}` was cut off.
   */
  exportUser(username: string): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: `${userPath(username)}/export` });
  }
}

const blockPath = (name: string): string => `/api/blocks/${encodeURIComponent(name)}`;
const userPath = (username: string): string => `/api/user/${encodeURIComponent(username)}`;

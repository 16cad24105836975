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

  /** Registers a user and logs in: later calls of this client are that user's. */
  register(body: RegisterBody): Promise<RegisterAnswer> {
    return this.#http.json({ method: "POST", path: "/api/auth/register", body, impatient: true });
  }

  /** Logs in: later calls of this client are that user's. A 429 is thrown at once, for a person waits. */
  login(body: LoginBody): Promise<LoginAnswer> {
    return this.#http.json({ method: "POST", path: "/api/auth/login", body, impatient: true });
  }

  /** Ends this session. */
  logout(): Promise<MessageAnswer> {
    return this.#http.json({ method: "POST", path: "/api/auth/logout" });
  }

  /** One's own sessions. */
  sessions(): Promise<SessionsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/auth/sessions" });
  }

  endSession(sessionId: number): Promise<MessageAnswer> {
    return this.#http.json({ method: "DELETE", path: `/api/auth/sessions/${sessionId}` });
  }

  /** Ends all of one's own sessions but this one. */
  endOtherSessions(): Promise<MessageAnswer> {
    return this.#http.json({ method: "DELETE", path: "/api/auth/sessions", repeatable: true });
  }

  user(username: string): Promise<UserAnswer> {
    return this.#http.json({ method: "GET", path: userPath(username) });
  }

  updateUser(username: string, body: UpdateUserBody): Promise<UpdateUserAnswer> {
    return this.#http.json({ method: "PUT", path: userPath(username), body });
  }

  /** A text whose signature by the wallet proves that it is one's own; then `proveWallet`. */
  challengeWallet(username: string, body: WalletChallengeBody): Promise<WalletChallengeAnswer> {
    return this.#http.json({ method: "POST", path: `${userPath(username)}/wallets/challenge`, body });
  }

  /** Its address is then in the profile, proven. */
  proveWallet(username: string, body: WalletProofBody): Promise<WalletProofAnswer> {
    return this.#http.json({ method: "POST", path: `${userPath(username)}/wallets/proof`, body });
  }

  /** Which of up to 100 users have a picture; its version changes with it. Who has none is left out. */
  avatars(usernames: readonly string[]): Promise<AvatarsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/avatars", query: { usernames: usernames.join(",") } });
  }

  /** The bytes of a user's picture and their media type. `avatar_not_found`. */
  avatar(username: string): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: `${userPath(username)}/avatar` });
  }

  honor(username: string): Promise<HonorAnswer> {
    return this.#http.json({ method: "GET", path: `${userPath(username)}/honor` });
  }

  /** Where one's points came from and went to, the newest change first. */
  points(username: string, query: PointsQuery = {}): Promise<PointsAnswer> {
    return this.#http.json({ method: "GET", path: `${userPath(username)}/points`, query });
  }

  /** The users and agents whom one has blocked. */
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

  /** Changes to the security of one's own account, the newest first. */
  securityNotices(query: SecurityNoticesQuery = {}): Promise<SecurityNoticesAnswer> {
    return this.#http.json({ method: "GET", path: "/api/security-notices", query });
  }

  /** Dismisses one's own security notices up to that one. */
  dismissSecurityNotices(upToNoticeId: number): Promise<DismissNoticesAnswer> {
    const body = { up_to_notice_id: upToNoticeId };
    return this.#http.json({ method: "POST", path: "/api/security-notices/dismiss", body, repeatable: true });
  }

  /** Deletes an account for good: one's own, or as an administrator a lower one. `password` is the caller's, always. */
  deleteUser(username: string, password: string): Promise<DeleteUserAnswer> {
    return this.#http.json({ method: "DELETE", path: userPath(username), body: { password }, impatient: true });
  }

  /** All one's own data, as the text of one JSON document (`UserExport`). One that does not end with `"complete":true}` was cut off. */
  exportUser(username: string): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: `${userPath(username)}/export` });
  }
}

const blockPath = (name: string): string => `/api/blocks/${encodeURIComponent(name)}`;
const userPath = (username: string): string => `/api/user/${encodeURIComponent(username)}`;

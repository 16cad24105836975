import type {
  AvatarsResponse,
  Block,
  BlockResponse,
  BlocksResponse,
  DismissNoticesResponse,
  FindUsersResponse,
  InvitationResponse,
  LoginBody,
  LoginResponse,
  MessageResponse,
  PresenceResponse,
  RegisterBody,
  RegisterResponse,
  ResetPasswordBody,
  ResetPasswordResponse,
  SecurityNotice,
  SecurityNoticesQuery,
  SecurityNoticesResponse,
  SessionsResponse,
  UnblockResponse,
  UpdateUserBody,
  UpdateUserResponse,
  UserResponse,
} from "@parley/protocol/accounts";
import type { DetailsOf } from "@parley/protocol/error-details";
import type {
  IdentitiesResponse,
  LinkedIdentity,
  LinkIdentityBody,
  LinkIdentityResponse,
  UnlinkIdentityBody,
  UnlinkIdentityResponse,
} from "@parley/protocol/identities";
import type {
  Invitation,
  InvitationsQuery,
  InvitationsResponse,
  MadeInvitationResponse,
  MakeInvitationBody,
} from "@parley/protocol/invitations";
import type { Session } from "@parley/protocol/models";
import type { HonorResponse, PointsEntry, PointsQuery, PointsResponse } from "@parley/protocol/points";
import type { DeleteUserResponse } from "@parley/protocol/privacy";
import type { ProfilesResponse } from "@parley/protocol/profiles";
import type {
  WalletChallengeBody,
  WalletChallengeResponse,
  WalletProofBody,
  WalletProofResponse,
} from "@parley/protocol/wallets";
import { ParleyError } from "../errors.ts";
import type { Http } from "../http.ts";
import { byId, byOffset, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/** Options of a login. */
export interface LoginOptions extends RequestOptions {
  /** Returns the code of an authenticator app, or a recovery code. Called only if the account has a second factor. */
  secondFactor?(challenge: DetailsOf<"second_factor_required">): string | Promise<string>;
}

/** Accounts and sessions (protocol §1, §2). Every method throws `ParleyError`. */
export class Accounts {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Registers a user and logs in: later calls of this client are made as that user. */
  register(body: RegisterBody, options?: RequestOptions): Promise<RegisterResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/register", body, noWait: true }, options);
  }

  /** Returns who invites with this code. Errors: `invalid_invite_code`. */
  invitation(code: string, options?: RequestOptions): Promise<InvitationResponse> {
    return this.#http.json({ method: "GET", path: `/api/invitations/${encodeURIComponent(code)}` }, options);
  }

  /** Makes an invitation: its code works for some days (7) and some accounts (1). Errors: `invitation_limit_reached`. */
  makeInvitation(body: MakeInvitationBody = {}, options?: RequestOptions): Promise<MadeInvitationResponse> {
    return this.#http.json({ method: "POST", path: "/api/invitations", body, idempotent: true }, options);
  }

  /** Lists the caller's invitations, newest first. */
  invitations(query: InvitationsQuery = {}, options?: RequestOptions): PagePromise<InvitationsResponse, Invitation> {
    const list = { items: ({ invitations }: InvitationsResponse) => invitations, next: byOffset };
    return this.#http.pages("/api/invitations", query, list, options);
  }

  /** Revokes an invitation: the caller's own or, for administrators, anybody's. */
  revokeInvitation(code: string, options?: RequestOptions): Promise<MadeInvitationResponse> {
    return this.#http.json({ method: "DELETE", path: `/api/invitations/${encodeURIComponent(code)}` }, options);
  }

  /**
   * Logs in: later calls of this client are made as that user. Throws a 429 at once, because a person is waiting. If the
   * account has a second factor, `secondFactor` returns the code; without it, the error `second_factor_required` names the
   * challenge for `secondFactors.answer`.
   */
  async login(body: LoginBody, { secondFactor, ...options }: LoginOptions = {}): Promise<LoginResponse> {
    try {
      return await this.#http.json({ method: "POST", path: "/api/auth/login", body, noWait: true }, options);
    } catch (error) {
      if (secondFactor === undefined || !(error instanceof ParleyError) || !error.is("second_factor_required"))
        throw error;
      const answer = { challenge_id: error.details.challenge_id, code: await secondFactor(error.details) };
      return this.#http.json({ method: "POST", path: "/api/auth/second-factor", body: answer, noWait: true }, options);
    }
  }

  /** Chooses a new password with a reset link, which ends all of the user's sessions. Errors: `reset_link_expired`. */
  resetPassword(body: ResetPasswordBody, options?: RequestOptions): Promise<ResetPasswordResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/reset", body, noWait: true }, options);
  }

  /** Ends this session. */
  logout(options?: RequestOptions): Promise<MessageResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/logout" }, options);
  }

  /** Lists the user's sessions. */
  sessions(options?: RequestOptions): PagePromise<SessionsResponse, Session> {
    const list = { items: ({ sessions }: SessionsResponse) => sessions };
    return this.#http.pages("/api/auth/sessions", {}, list, options);
  }

  /** Lists the accounts at the provider with which the user can log in. */
  identities(options?: RequestOptions): PagePromise<IdentitiesResponse, LinkedIdentity> {
    const list = { items: ({ identities }: IdentitiesResponse) => identities };
    return this.#http.pages("/api/auth/identities", {}, list, options);
  }

  /** Begins to link an account at the provider: lead the browser to `authorization_url`. Errors: `reauth_required`. */
  linkIdentity(body: LinkIdentityBody = {}, options?: RequestOptions): Promise<LinkIdentityResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/identities", body, noWait: true }, options);
  }

  /** Unlinks an account at the provider. Errors: `last_login_method`, `reauth_required`. */
  unlinkIdentity(
    identityId: number,
    body: UnlinkIdentityBody = {},
    options?: RequestOptions,
  ): Promise<UnlinkIdentityResponse> {
    const path = `/api/auth/identities/${identityId}`;
    return this.#http.json({ method: "DELETE", path, body, noWait: true }, options);
  }

  endSession(sessionId: number, options?: RequestOptions): Promise<MessageResponse> {
    return this.#http.json({ method: "DELETE", path: `/api/auth/sessions/${sessionId}` }, options);
  }

  /** Ends all of the user's sessions but this one. */
  endOtherSessions(options?: RequestOptions): Promise<MessageResponse> {
    return this.#http.json({ method: "DELETE", path: "/api/auth/sessions", idempotent: true }, options);
  }

  user(username: string, options?: RequestOptions): Promise<UserResponse> {
    return this.#http.json({ method: "GET", path: userPath(username) }, options);
  }

  updateUser(username: string, body: UpdateUserBody, options?: RequestOptions): Promise<UpdateUserResponse> {
    return this.#http.json({ method: "PUT", path: userPath(username), body }, options);
  }

  /** Returns a text to sign with the wallet, for `proveWallet`, as proof that the wallet is the user's. */
  challengeWallet(
    username: string,
    body: WalletChallengeBody,
    options?: RequestOptions,
  ): Promise<WalletChallengeResponse> {
    return this.#http.json({ method: "POST", path: `${userPath(username)}/wallets/challenge`, body }, options);
  }

  /** Adds the wallet's address to the profile, as proven. */
  proveWallet(username: string, body: WalletProofBody, options?: RequestOptions): Promise<WalletProofResponse> {
    return this.#http.json({ method: "POST", path: `${userPath(username)}/wallets/proof`, body }, options);
  }

  /**
   * Returns which of up to 100 users have an avatar, with a version that changes with it. Users without one are
   * omitted.
   */
  avatars(usernames: readonly string[], options?: RequestOptions): Promise<AvatarsResponse> {
    return this.#http.json({ method: "GET", path: "/api/avatars", query: { usernames: usernames.join(",") } }, options);
  }

  /** Returns the display names and statuses of up to 100 users. Users who have neither are omitted. */
  profiles(usernames: readonly string[], options?: RequestOptions): Promise<ProfilesResponse> {
    return this.#http.json(
      { method: "GET", path: "/api/profiles", query: { usernames: usernames.join(",") } },
      options,
    );
  }

  /** Removes a user's display name and status: one's own or, for moderators, that of a user of a lower level. */
  clearProfile(username: string, options?: RequestOptions): Promise<MessageResponse> {
    return this.#http.json({ method: "DELETE", path: `${userPath(username)}/display-name` }, options);
  }

  /** Returns the first users whose usernames begin with the prefix, or a word of whose display names does. */
  find(prefix: string, options?: RequestOptions): Promise<FindUsersResponse> {
    return this.#http.json({ method: "GET", path: "/api/users", query: { prefix } }, options);
  }

  /** Returns which of these users are online. At most 100 names. */
  presence(usernames: readonly string[], options?: RequestOptions): Promise<PresenceResponse> {
    return this.#http.json(
      { method: "GET", path: "/api/presence", query: { usernames: usernames.join(",") } },
      options,
    );
  }

  /** Returns the bytes and media type of a user's avatar. Errors: `avatar_not_found`. */
  avatar(username: string, options?: RequestOptions): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: `${userPath(username)}/avatar` }, options);
  }

  honor(username: string, options?: RequestOptions): Promise<HonorResponse> {
    return this.#http.json({ method: "GET", path: `${userPath(username)}/honor` }, options);
  }

  /** Lists changes of the user's points, newest first. */
  points(
    username: string,
    query: PointsQuery = {},
    options?: RequestOptions,
  ): PagePromise<PointsResponse, PointsEntry> {
    const list = { items: ({ entries }: PointsResponse) => entries, next: byId };
    return this.#http.pages(`${userPath(username)}/points`, query, list, options);
  }

  /** Lists the users and agents that the user has blocked. */
  blocks(options?: RequestOptions): PagePromise<BlocksResponse, Block> {
    const list = { items: ({ blocks }: BlocksResponse) => blocks };
    return this.#http.pages("/api/blocks", {}, list, options);
  }

  /** Blocks a user or an agent: no direct conversation, no notifications of mentions. */
  block(name: string, options?: RequestOptions): Promise<BlockResponse> {
    return this.#http.json({ method: "PUT", path: blockPath(name), idempotent: true }, options);
  }

  unblock(name: string, options?: RequestOptions): Promise<UnblockResponse> {
    return this.#http.json({ method: "DELETE", path: blockPath(name), idempotent: true }, options);
  }

  /** Lists changes to the security of the user's account, newest first. */
  securityNotices(
    query: SecurityNoticesQuery = {},
    options?: RequestOptions,
  ): PagePromise<SecurityNoticesResponse, SecurityNotice> {
    const list = { items: ({ notices }: SecurityNoticesResponse) => notices, next: byId };
    return this.#http.pages("/api/security-notices", query, list, options);
  }

  /** Dismisses the user's security notices up to that one. */
  dismissSecurityNotices(upToNoticeId: number, options?: RequestOptions): Promise<DismissNoticesResponse> {
    const body = { up_to_notice_id: upToNoticeId };
    return this.#http.json({ method: "POST", path: "/api/security-notices/dismiss", body, idempotent: true }, options);
  }

  /**
   * Deletes an account for good: the caller's, or as an administrator one of a lower level. `password` is always the
   * caller's.
   */
  deleteUser(username: string, password: string | undefined, options?: RequestOptions): Promise<DeleteUserResponse> {
    return this.#http.json({ method: "DELETE", path: userPath(username), body: { password }, noWait: true }, options);
  }

  /**
   * Returns all of the user's data, as the text of one JSON document (`UserExport`). A document that does not end with
   * `"complete":true}` was cut off.
   */
  exportUser(username: string, options?: RequestOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: `${userPath(username)}/export` }, options);
  }
}

const blockPath = (name: string): string => `/api/blocks/${encodeURIComponent(name)}`;
const userPath = (username: string): string => `/api/user/${encodeURIComponent(username)}`;

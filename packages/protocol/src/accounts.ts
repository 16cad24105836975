import { type Static, Type } from "typebox";
import { PASSWORD_MAX, USERNAME_MAX, USERS_FOUND_MAX } from "./limits.ts";
import { AdminLevel, OwnUser, PublicUser, Session } from "./models.ts";
import { DISPLAY_NAME_MAX, DisplayName, shownSettings, Usernames } from "./profiles.ts";
import { ActorKind, HumanText, Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** A username that may be chosen; reserved names are refused in addition (protocol §2). */
export const Username = Type.String({ pattern: `^[A-Za-z0-9][A-Za-z0-9_.-]{1,${USERNAME_MAX - 1}}$` });

/** A new password. The minimum (8) is configuration, so the service checks it (protocol §1). */
export const NewPassword = Type.String({ maxLength: PASSWORD_MAX, description: "8 to 128 characters." });

/** Body fields of accounts that can be read but not written: 400 `field_not_writable` (protocol §0). */
export const USER_READ_ONLY = [
  "id",
  "user_id",
  "points",
  "total_points",
  "admin_level",
  "honor_level",
  "is_online",
  "created_at",
] as const;

/** The same for a profile: also its lookup name, and fields that matter only at registration (protocol §2). */
export const PROFILE_READ_ONLY = [...USER_READ_ONLY, "username", "email_verified", "invite_code"] as const;

/** The same for a user as administrators see them: everything but the level and the suspension. */
export const ADMINISTERED_READ_ONLY = [
  ...PROFILE_READ_ONLY.filter((field) => field !== "admin_level"),
  "email",
] as const;

/** POST /api/auth/register (protocol §2). */
export const RegisterBody = Type.Object({
  username: Username,
  password: NewPassword,
  email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
  invite_code: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  channel_slug: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 64,
        description:
          "A public channel to join beside `general`, such as the one an invitation leads to. Others are ignored.",
      }),
    ),
  ),
});
export type RegisterBody = Static<typeof RegisterBody>;

/** Response of register, which also sets the session's cookie (protocol §1). */
export const RegisterResponse = response({
  message: HumanText,
  user: Type.Object({ username: Type.String(), points: Type.Integer() }),
  deduplicated: Type.Optional(Type.Literal(true)),
});
export type RegisterResponse = Static<typeof RegisterResponse>;

/** /api/invitations/:code. Accepts any text: an unknown code is 400 `invalid_invite_code`. */
export const InvitationParams = Type.Object({ code: Type.String() });

/** Response of GET /api/invitations/:code (protocol §2). */
export const InvitationResponse = response({
  invitation: Type.Object({ username: Type.String({ description: "The user who invites." }) }),
});
export type InvitationResponse = Static<typeof InvitationResponse>;

/** POST /api/auth/login and the command `auth:login` (protocol §1, §2). Accepts any text: all failures answer alike. */
export const LoginBody = Type.Object({
  username: Type.String({ minLength: 1 }),
  password: Type.String({ minLength: 1 }),
});
export type LoginBody = Static<typeof LoginBody>;

/** The user who is logged in: response of login, and `user` of `session:ready`. */
export const LoggedInUser = Type.Object({ username: Type.String(), admin_level: AdminLevel });
export type LoggedInUser = Static<typeof LoggedInUser>;

/** Response of login, which also sets the session's cookie, except on the socket (protocol §2). */
export const LoginResponse = response({ message: HumanText, user: LoggedInUser });
export type LoginResponse = Static<typeof LoginResponse>;

/** POST /api/auth/reset (protocol §13.0). Accepts any token: one that is not valid is 410 `reset_link_expired`. */
export const ResetPasswordBody = Type.Object({
  token: Type.String({ maxLength: 128, description: "What follows `#` in the link." }),
  password: NewPassword,
});
export type ResetPasswordBody = Static<typeof ResetPasswordBody>;

/** Response of POST /api/auth/reset. The caller is not logged in by it. */
export const ResetPasswordResponse = response({ message: HumanText, username: Type.String() });
export type ResetPasswordResponse = Static<typeof ResetPasswordResponse>;

/** Response of POST /api/auth/logout, DELETE /api/auth/sessions and DELETE /api/auth/sessions/:session_id (protocol §1). */
export const MessageResponse = response({ message: HumanText });
export type MessageResponse = Static<typeof MessageResponse>;

/** Response of GET /api/auth/sessions (protocol §1, §2). */
export const SessionsResponse = response({ sessions: Type.Array(Session) });
export type SessionsResponse = Static<typeof SessionsResponse>;

/** /api/auth/sessions/:session_id */
export const SessionParams = Type.Object({ session_id: Id });
export type SessionParams = Static<typeof SessionParams>;

/** /api/user/:username and below. Accepts any text: an impossible name is 404 `user_not_found`. */
export const UserParams = Type.Object({ username: Type.String() });
export type UserParams = Static<typeof UserParams>;

/**
 * Answer of GET /api/user/:username: the fields beside `success`; `email_verified` and `invite_code` only for the user
 * themselves (protocol §2).
 */
export const UserResponse = response({
  ...PublicUser.properties,
  email_verified: Type.Optional(OwnUser.properties.email_verified),
  invite_code: Type.Optional(OwnUser.properties.invite_code),
});
export type UserResponse = Static<typeof UserResponse>;

/** PUT /api/user/:username. null clears a field; a body without a known field is 400 `no_fields` (protocol §2). */
export const UpdateUserBody = Type.Object({
  email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
  avatar: Type.Optional(Nullable(Type.String({ description: "Base64, with or without a data: prefix." }))),
  ...shownSettings,
  evm_address: Type.Optional(Nullable(Type.String())),
  sol_address: Type.Optional(Nullable(Type.String())),
  password: Type.Optional(NewPassword),
  current_password: Type.Optional(
    Type.String({
      description: "Required to change `password` or an address when the session is older than 10 minutes.",
    }),
  ),
});
export type UpdateUserBody = Static<typeof UpdateUserBody>;

/** Response of PUT /api/user/:username: the full own view (protocol §2). */
export const UpdateUserResponse = response({ message: HumanText, user: OwnUser });
export type UpdateUserResponse = Static<typeof UpdateUserResponse>;

/** Identifies a version of a user's avatar: it changes with the image. */
export const AvatarVersion = Type.String({ description: "Changes with the picture; the `?v=` parameter of its URL." });

/** GET /api/avatars: which of these users have an avatar. */
export const AvatarsQuery = Type.Object({ usernames: Usernames });
export type AvatarsQuery = Static<typeof AvatarsQuery>;

/** Response of GET /api/avatars. */
export const AvatarsResponse = response({
  avatars: Type.Array(Type.Object({ username: Type.String(), version: AvatarVersion }), {
    description: "The users who have an avatar. Users without one and unknown names are left out.",
  }),
});
export type AvatarsResponse = Static<typeof AvatarsResponse>;

/** GET /api/users: users whose usernames begin with a text, or a word of whose display names does. */
export const FindUsersQuery = Type.Object({
  prefix: Type.String({
    minLength: 1,
    maxLength: DISPLAY_NAME_MAX,
    description: "The beginning of a username, or of a word of a display name, in any case.",
  }),
});
export type FindUsersQuery = Static<typeof FindUsersQuery>;

/** Response of GET /api/users: by username, then those who are found by their display name. */
export const FindUsersResponse = response({
  users: Type.Array(Type.Object({ username: Type.String(), display_name: DisplayName, is_online: Type.Boolean() }), {
    maxItems: USERS_FOUND_MAX,
    description: `The first ${USERS_FOUND_MAX}, by name.`,
  }),
});
export type FindUsersResponse = Static<typeof FindUsersResponse>;

/** GET /api/presence: which of these users are online. */
export const PresenceQuery = Type.Object({ usernames: Usernames });
export type PresenceQuery = Static<typeof PresenceQuery>;

/** Response of GET /api/presence. */
export const PresenceResponse = response({
  online: Type.Array(Type.String(), { description: "The users who are online. Unknown names are left out." }),
});
export type PresenceResponse = Static<typeof PresenceResponse>;

/** GET /api/user/:username/avatar. */
export const AvatarQuery = Type.Object({
  v: Type.Optional(
    Type.String({ description: "The version of the avatar. With it, the picture can be cached for ever." }),
  ),
});

/** Bytes of GET /api/user/:username/avatar (protocol §2). */
export const AvatarBytes = Type.String({ format: "binary", description: "The image: PNG, JPEG, GIF or WebP." });

/** A user or agent whom the caller has blocked (protocol §2). */
export const Block = model("Block", "A user or agent whom the caller has blocked.", {
  kind: ActorKind,
  name: Type.String(),
  created_at: Timestamp,
});
export type Block = Static<typeof Block>;

/** /api/blocks/:name */
export const BlockParams = Type.Object({
  name: Type.String({ description: "The name of a user or agent, in any case." }),
});
export type BlockParams = Static<typeof BlockParams>;

/** Response of GET /api/blocks, by name. There are at most 1,000. */
export const BlocksResponse = response({ blocks: Type.Array(Block) });
export type BlocksResponse = Static<typeof BlocksResponse>;

/** Response of PUT /api/blocks/:name. */
export const BlockResponse = response({ message: HumanText, block: Block });
export type BlockResponse = Static<typeof BlockResponse>;

/** Response of DELETE /api/blocks/:name, also if there was no block. */
export const UnblockResponse = response({ message: HumanText, name: Type.String() });
export type UnblockResponse = Static<typeof UnblockResponse>;

/** The kinds of changes to an account's security. */
export const SecurityNoticeKind = Type.Enum([
  "password_changed",
  "reset_link_made",
  "account_claimed",
  "email_changed",
  "wallet_changed",
  "wallet_proven",
  "level_changed",
  "suspended",
  "suspension_ended",
  "api_key_issued",
  "new_device",
  "agent_webhook",
  "webhook_disabled",
  "identity_linked",
  "identity_unlinked",
  "second_factor_added",
  "second_factor_removed",
  "second_factor_failed",
  "recovery_codes_made",
  "recovery_code_used",
]);
export type SecurityNoticeKind = Static<typeof SecurityNoticeKind>;

/** A change to the security of an account, recorded for its owner (protocol §2). */
export const SecurityNotice = model("SecurityNotice", "A change to the security of the caller's account.", {
  notice_id: Id,
  kind: SecurityNoticeKind,
  actor: Type.Enum(["self", "administrator", "operator"], {
    description:
      "`self`: a session or an agent of the account. `operator`: somebody with access to the server's command line.",
  }),
  actor_username: Nullable(Type.String({ description: "The administrator who made the change." })),
  details: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "`session_id`: the session of the account that did it, if one did. `wallet_*`: `chain`, `address`. `reset_link_made`: `expires_at`. `level_changed`: `from`, `to`. `suspended`: `until`. `api_key_issued`: `agent_id`, `key_id`. `new_device`: `user_agent`, `network`. `agent_webhook`: `agent_id`, `webhook_id`, `host`. `webhook_disabled`: `webhook_id`, `channel_id`, `agent_id`, `reason`. `identity_*`: `issuer`. `second_factor_added`, `second_factor_removed`: `factor` (`totp`, `passkey` or `all`), `name`. `second_factor_failed`: `network`. `recovery_code_used`: `left`.",
  }),
  created_at: Timestamp,
  dismissed_at: Nullable(Timestamp),
});
export type SecurityNotice = Static<typeof SecurityNotice>;

/** GET /api/security-notices. */
export const SecurityNoticesQuery = Type.Object({
  include_dismissed: Type.Optional(Type.Boolean({ description: "Includes notices that were dismissed." })),
  limit: Type.Optional(Limit),
  before: Type.Optional(Id),
});
export type SecurityNoticesQuery = Static<typeof SecurityNoticesQuery>;

/** Response of GET /api/security-notices, the newest first. */
export const SecurityNoticesResponse = response({
  notices: Type.Array(SecurityNotice),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type SecurityNoticesResponse = Static<typeof SecurityNoticesResponse>;

/** POST /api/security-notices/dismiss. */
export const DismissNoticesBody = Type.Object({
  up_to_notice_id: Type.Integer({ ...Id, description: "Dismisses this notice and all older ones." }),
});
export type DismissNoticesBody = Static<typeof DismissNoticesBody>;

/** Response of POST /api/security-notices/dismiss. */
export const DismissNoticesResponse = response({ message: HumanText, up_to_notice_id: Id });
export type DismissNoticesResponse = Static<typeof DismissNoticesResponse>;

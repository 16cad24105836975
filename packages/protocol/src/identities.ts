import { type Static, Type } from "typebox";
import { HumanText, Id, model, Nullable, response, Timestamp } from "./values.ts";

/** The longest path to which a login leads back. */
export const RETURN_TO_MAX = 512;

const ReturnTo = Type.String({
  maxLength: RETURN_TO_MAX,
  description: "A path of this server to show after the login. Anything else leads to the start page.",
});

/** GET /api/auth/oidc/start (protocol §13.9). */
export const OidcStartQuery = Type.Object({
  return_to: Type.Optional(ReturnTo),
  reauth: Type.Optional(
    Type.Boolean({ description: "Asks the provider to check the person again, although it knows the browser." }),
  ),
});
export type OidcStartQuery = Static<typeof OidcStartQuery>;

/** GET /api/auth/oidc/callback: what the provider adds to the address. All of it is checked against the login. */
export const OidcCallbackQuery = Type.Object({
  code: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  error_description: Type.Optional(Type.String()),
});

/** Body of GET /api/auth/oidc/start and …/callback, which answer 302. */
export const Redirect = Type.String({ description: "Empty; the header Location says where to go." });

/** An account at the provider with which the caller can log in (protocol §13.9). */
export const LinkedIdentity = model("LinkedIdentity", "An account at a provider with which the caller can log in.", {
  identity_id: Id,
  issuer: Type.String({ description: "The address of the provider." }),
  label: Nullable(Type.String({ description: "What the provider calls the account." })),
  created_at: Timestamp,
  last_login_at: Nullable(Timestamp),
});
export type LinkedIdentity = Static<typeof LinkedIdentity>;

/** Response of GET /api/auth/identities, the oldest first. */
export const IdentitiesResponse = response({
  identities: Type.Array(LinkedIdentity),
  has_password: Type.Boolean({ description: "Whether the account has a password." }),
});
export type IdentitiesResponse = Static<typeof IdentitiesResponse>;

const CurrentPassword = Type.Optional(
  Type.String({ description: "Required when the last login of this session is older than 10 minutes." }),
);

/** POST /api/auth/identities. */
export const LinkIdentityBody = Type.Object({
  return_to: Type.Optional(ReturnTo),
  current_password: CurrentPassword,
});
export type LinkIdentityBody = Static<typeof LinkIdentityBody>;

/** Response of POST /api/auth/identities, which also sets the cookie of this login. */
export const LinkIdentityResponse = response({
  authorization_url: Type.String({ description: "The page of the provider. Lead the browser there." }),
});
export type LinkIdentityResponse = Static<typeof LinkIdentityResponse>;

/** /api/auth/identities/:identity_id */
export const IdentityParams = Type.Object({ identity_id: Id });

/** DELETE /api/auth/identities/:identity_id. */
export const UnlinkIdentityBody = Type.Object({ current_password: CurrentPassword });
export type UnlinkIdentityBody = Static<typeof UnlinkIdentityBody>;

/** Response of DELETE /api/auth/identities/:identity_id. */
export const UnlinkIdentityResponse = response({ message: HumanText, identity_id: Id });
export type UnlinkIdentityResponse = Static<typeof UnlinkIdentityResponse>;

/** Bytes of the form of POST /api/auth/oidc/backchannel-logout. */
export const LOGOUT_FORM_BYTES = 16 * 1024;

/** Response of POST /api/auth/oidc/backchannel-logout. */
export const BackchannelLogoutResponse = response({
  ended_sessions: Type.Integer({ minimum: 0, description: "How many sessions were ended." }),
});
export type BackchannelLogoutResponse = Static<typeof BackchannelLogoutResponse>;

import { type Static, Type } from "typebox";
import { model, Nullable, response } from "./values.ts";

/** The registration setting: everybody may register, people with an invite code, or nobody. */
export const RegistrationMode = Type.Enum(["open", "invite", "closed"], {
  description: "`invite`: registering requires an `invite_code`. `closed`: nobody can register.",
});
export type RegistrationMode = Static<typeof RegistrationMode>;

/** The users that may log in with a password. */
export const PasswordLogin = Type.Enum(["on", "owners", "off"], {
  description: "`owners`: only the site's owners can log in with a password. `off`: nobody can.",
});
export type PasswordLogin = Static<typeof PasswordLogin>;

/** The settings of the site that a client needs before anybody logs in (protocol §10). */
export const Site = model("Site", "The settings of the site that a client needs before anybody logs in.", {
  name: Type.String(),
  registration: RegistrationMode,
  password_login: PasswordLogin,
  oidc_name: Nullable(
    Type.String({ description: "The name of the provider at GET /api/auth/oidc/start (protocol §13.9); null: none." }),
  ),
  guest_read: Type.Boolean({ description: "Whether callers without a session may read public channels." }),
  file_max_bytes: Type.Integer({ minimum: 1, description: "Bytes of an uploaded file at most." }),
  file_types: Nullable(
    Type.Array(Type.String(), { description: "The media types that files may have, such as `image/*`; null: any." }),
  ),
  value: Type.Boolean({
    description: "Whether there are payments, red packets and wallets (protocol §10, PARLEY_VALUE).",
  }),
  agents_per_user: Type.Integer({
    minimum: 0,
    description:
      "How many agents a user may set up (protocol §16.1, PARLEY_AGENTS_PER_USER); 0: only administrators may.",
  }),
  needs_owner: Type.Boolean({
    description: "Whether the site has no owner yet. Only callers on the server's own machine see true.",
  }),
});
export type Site = Static<typeof Site>;

/** Response of GET /api/site. */
export const SiteResponse = response({ site: Site });
export type SiteResponse = Static<typeof SiteResponse>;

/** The first steps with a new site; each is true when it is done (protocol §11). */
export const SetupSteps = Type.Object({
  people: Type.Boolean({ description: "Somebody beside the caller has an account." }),
  agent: Type.Boolean({ description: "An agent has called the server." }),
  channel: Type.Boolean({ description: "There is a channel beside `general`." }),
});
export type SetupSteps = Static<typeof SetupSteps>;

/** Response of GET /api/admin/setup. */
export const SetupResponse = response({ steps: SetupSteps });
export type SetupResponse = Static<typeof SetupResponse>;

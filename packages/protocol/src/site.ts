import { type Static, Type } from "typebox";
import { CustomEmojiPolicy } from "./emoji.ts";
import { HumanText, model, Nullable, response } from "./values.ts";

export const SITE_NAME_MAX = 40;
/** Bytes and pixels of the site's logo, which each page loads. */
export const LOGO_BYTES = 128 * 1024;
export const LOGO_SIDE = 512;

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
  logo: Nullable(
    Type.String({ description: "The version of the picture at GET /icons/logo, which changes with it; null: none." }),
  ),
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
  link_previews: Type.Boolean({
    description: "Whether links in new messages get previews (protocol §13.4, PARLEY_LINK_PREVIEWS).",
  }),
  custom_emoji: CustomEmojiPolicy,
  mail: Type.Boolean({
    description: "Whether the server sends mail (protocol §17): for a new password, and to confirm an address.",
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

/** The settings of the site that administrators change (protocol §10). */
export const SiteSettings = model("SiteSettings", "The settings of the site that administrators change.", {
  name: Type.String(),
  registration: RegistrationMode,
  logo: Site.properties.logo,
  version: Type.Integer({ minimum: 0, description: "How often the settings were changed." }),
  locked: Type.Object(
    { name: Nullable(Type.String()), registration: Nullable(Type.String()) },
    { description: "The variables of the environment that set these; null: administrators may change it." },
  ),
});
export type SiteSettings = Static<typeof SiteSettings>;

/** Response of GET /api/admin/site. */
export const SiteSettingsResponse = response({ site: SiteSettings });
export type SiteSettingsResponse = Static<typeof SiteSettingsResponse>;

/** PUT /api/admin/site: fields that are missing stay as they are. */
export const UpdateSiteBody = Type.Object({
  name: Type.Optional(
    Nullable(Type.String({ description: `1 to ${SITE_NAME_MAX} visible characters; null: the name \`Parley\`.` })),
  ),
  registration: Type.Optional(Nullable(RegistrationMode)),
  logo: Type.Optional(
    Nullable(
      Type.String({
        description:
          "A PNG, JPEG or WebP as base64, with or without a `data:` prefix, of at most 128 KiB and 512 × 512 pixels. null removes the logo.",
      }),
    ),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 0, description: "Change them only if they still have this version: 409 `site_changed`." }),
  ),
});
export type UpdateSiteBody = Static<typeof UpdateSiteBody>;

/** Response of PUT /api/admin/site. */
export const UpdateSiteResponse = response({ message: HumanText, site: SiteSettings });
export type UpdateSiteResponse = Static<typeof UpdateSiteResponse>;

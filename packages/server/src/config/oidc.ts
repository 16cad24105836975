import { boolean, headerSecret, isLoopback, list, oneOf, siteName, type Variable } from "./parse.ts";

/** Site levels that a role can give. Only the command line makes owners. */
export type RoleLevel = 1 | 2;

/** Settings of logins with an OpenID Connect provider, and of passwords beside it (protocol §13.9). */
export const OIDC_VARIABLES = {
  oidcIssuer: {
    name: "PARLEY_OIDC_ISSUER",
    meaning:
      "Address of the OpenID Connect provider by which people log in, exactly as its discovery document names it. https; http only on this machine. See the guide [Single sign-on](../guide/single-sign-on.md).",
    byDefault: null,
    parse: issuer,
  } as Variable<string | null>,
  oidcClientId: {
    name: "PARLEY_OIDC_CLIENT_ID",
    meaning: "The id of this server at the provider.",
    byDefault: null,
    parse: headerSecret,
  } as Variable<string | null>,
  oidcClientSecret: {
    name: "PARLEY_OIDC_CLIENT_SECRET",
    meaning: "The secret of this server at the provider.",
    byDefault: null,
    parse: headerSecret,
    secret: true,
  } as Variable<string | null>,
  oidcName: {
    name: "PARLEY_OIDC_NAME",
    meaning: "Name of the provider on the login button: “Continue with <name>”. Default: the host of the issuer.",
    byDefault: null,
    parse: siteName,
  } as Variable<string | null>,
  oidcScopes: {
    name: "PARLEY_OIDC_SCOPES",
    meaning: "What the server asks the provider for, separated by spaces; always with `openid`.",
    byDefault: "openid profile email",
    parse: scopes,
  } satisfies Variable<string>,
  oidcAllowedDomains: {
    name: "PARLEY_OIDC_ALLOWED_DOMAINS",
    meaning:
      "Domains of email addresses, separated by commas. Only people whose address is in one of them, and verified by the provider, can log in. Default: everybody whom the provider lets in.",
    byDefault: "",
    parse: list(domain),
  } satisfies Variable<string[]>,
  oidcRoleClaim: {
    name: "PARLEY_OIDC_ROLE_CLAIM",
    meaning: "The claim that lists a person's roles or groups, such as `groups` or `realm_access.roles`.",
    byDefault: null,
    parse: headerSecret,
  } as Variable<string | null>,
  oidcRoleMap: {
    name: "PARLEY_OIDC_ROLE_MAP",
    meaning:
      "Site levels of roles, separated by commas: `admins=2,mods=1`. Each login by the provider sets the level of the highest role, or none; the levels of owners never change.",
    byDefault: "",
    parse: roleMap,
  } satisfies Variable<ReadonlyMap<string, RoleLevel>>,
  oidcSignup: {
    name: "PARLEY_OIDC_SIGNUP",
    meaning:
      "Whether the first login by the provider makes an account, whatever PARLEY_REGISTRATION says. `false`: only users who have linked a login.",
    byDefault: "true",
    parse: boolean,
  } satisfies Variable<boolean>,
  passwordLogin: {
    name: "PARLEY_PASSWORD_LOGIN",
    meaning:
      "Who can log in with a password: everybody (`on`), only owners of the site (`owners`), or nobody (`off`). The last two need PARLEY_OIDC_ISSUER, and nobody can register with a password then.",
    byDefault: "on",
    parse: oneOf("on", "owners", "off"),
  } satisfies Variable<"on" | "owners" | "off">,
};

interface OidcSettings {
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  readonly oidcName: string | null;
  readonly oidcAllowedDomains: readonly string[];
  readonly oidcRoleClaim: string | null;
  readonly oidcRoleMap: ReadonlyMap<string, RoleLevel>;
  readonly passwordLogin: "on" | "owners" | "off";
}

/** Returns the problems of settings that need others which are missing. */
export function oidcProblems(config: OidcSettings): string[] {
  const missing = (name: string, value: unknown) =>
    value === null ? [`${name} must be set if PARLEY_OIDC_ISSUER is set`] : [];
  const roles =
    (config.oidcRoleClaim === null) === (config.oidcRoleMap.size === 0)
      ? []
      : ["PARLEY_OIDC_ROLE_CLAIM and PARLEY_OIDC_ROLE_MAP must be set together: one names the roles, one their levels"];
  if (config.oidcIssuer !== null)
    return [
      ...missing("PARLEY_OIDC_CLIENT_ID", config.oidcClientId),
      ...missing("PARLEY_OIDC_CLIENT_SECRET", config.oidcClientSecret),
      ...roles,
    ];
  const others = [config.oidcClientId, config.oidcClientSecret, config.oidcName, config.oidcRoleClaim];
  const hasOthers =
    others.some((value) => value !== null) || config.oidcAllowedDomains.length > 0 || config.oidcRoleMap.size > 0;
  return [
    ...(hasOthers ? ["PARLEY_OIDC_ISSUER must be set if other settings of the provider are set"] : []),
    ...(config.passwordLogin === "on"
      ? []
      : [`PARLEY_PASSWORD_LOGIN=${config.passwordLogin} needs PARLEY_OIDC_ISSUER: nobody else could log in`]),
  ];
}

/** Parses the address of a provider. http is allowed only on this machine, because the secret is sent there. */
function issuer(raw: string): string {
  const url = URL.parse(raw);
  const isPlain = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url === null || !(url.protocol === "https:" || isPlain) || raw.length > 512) {
    throw new Error("must be https, such as https://login.example.org (http only on this machine)");
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "" || url.pathname.includes("/.well-known/")) {
    throw new Error("must be the issuer itself, without /.well-known/…, a query, a fragment or credentials");
  }
  return url.href;
}

function scopes(raw: string): string {
  const names = raw.split(/\s+/);
  if (!names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) || !names.includes("openid")) {
    throw new Error("must be words separated by spaces, one of them openid, such as: openid profile email");
  }
  return names.join(" ");
}

function domain(raw: string): string {
  const name = raw.toLowerCase();
  if (name.length <= 253 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) return name;
  throw new Error(`has "${raw}", which is not a domain such as example.org`);
}

function roleMap(raw: string): ReadonlyMap<string, RoleLevel> {
  return new Map(
    list((entry): [string, RoleLevel] => {
      const at = entry.lastIndexOf("=");
      const [role, level] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
      if (at < 1 || role === "" || (level !== "1" && level !== "2")) {
        throw new Error(
          `has "${entry}", which is not a role and its level, such as admins=2 or mods=1; a role cannot make owners (3)`,
        );
      }
      return [role, Number(level) as RoleLevel];
    })(raw),
  );
}

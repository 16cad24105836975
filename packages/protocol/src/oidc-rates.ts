/** The rates of logins by an OpenID Connect provider, part of `RATES`. */
export const OIDC_RATES = {
  oidcStart: {
    name: "oidc-start",
    quota: 20,
    window: 60,
    store: "database",
    counts: "logins by the provider begun, per network",
  },
  // Each makes the server ask the provider.
  oidcCallback: {
    name: "oidc-callback",
    quota: 20,
    window: 60,
    store: "database",
    counts: "logins by the provider completed, per network",
  },
  oidcLogout: {
    name: "oidc-logout",
    quota: 300,
    window: 60,
    store: "shared",
    counts: "logouts that a provider announces, per network",
  },
} as const;

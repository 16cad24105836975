/** Endpoints without a method of the sdk: one is the same as another, the others are for browsers and providers. */
export const WITHOUT_METHOD: ReadonlySet<string> = new Set([
  "POST /api/channels/:channel_id/export",
  "GET /api/auth/oidc/start",
  "GET /mail/unsubscribe/:token",
  "GET /api/auth/oidc/callback",
  "POST /api/auth/oidc/backchannel-logout",
]);

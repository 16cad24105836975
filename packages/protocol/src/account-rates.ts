/** The rates of logins and of what proves who a user is, part of `RATES`. */
export const ACCOUNT_RATES = {
  login: { name: "login", quota: 20, window: 60, store: "database", counts: "logins, per network" },
  reset: { name: "reset", quota: 20, window: 60, store: "database", counts: "reset links used, per network" },
  resetLink: { name: "reset-link", quota: 20, window: 3600, store: "database", counts: "reset links made" },
  claimLink: {
    name: "claim-link",
    quota: 20,
    window: 60,
    store: "database",
    counts: "links of imported accounts opened or used, per network",
  },
  register: { name: "register", quota: 20, window: 3600, store: "database", counts: "registrations, per network" },
  reauthentication: {
    name: "reauthentication",
    quota: 5,
    window: 60,
    store: "database",
    fixed: true,
    counts: "wrong passwords within a session",
  },
  secondFactor: {
    name: "second-factor",
    quota: 10,
    window: 60,
    store: "database",
    counts: "codes of second factors and logins by passkey, per network",
  },
  // Five tries per login are not enough: somebody who knows the password can begin any number of logins.
  wrongCodes: {
    name: "wrong-codes",
    quota: 20,
    window: 3600,
    store: "database",
    fixed: true,
    counts: "wrong codes at logins, per user; known browsers have a count of their own",
  },
  // Each is sent to all of the user's channels.
  profileChange: {
    name: "profile-change",
    quota: 20,
    window: 60,
    store: "shared",
    counts: "changes of a display name or a status, per user",
  },
  passkeys: { name: "passkeys", quota: 20, window: 60, store: "database", counts: "passkeys added, per user" },
} as const;

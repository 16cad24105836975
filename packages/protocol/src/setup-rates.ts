/** The rates of setup codes (protocol §16.1), a part of `RATES`. */
export const SETUP_RATES = {
  setupCode: { name: "setup-code", quota: 30, window: 3600, store: "database", counts: "setup codes made, per user" },
  setupTry: { name: "setup-try", quota: 10, window: 60, store: "database", counts: "setup codes tried, per network" },
  setupTryHour: {
    name: "setup-try-hour",
    quota: 60,
    window: 3600,
    store: "database",
    counts: "setup codes tried in an hour, per network",
  },
  // A code has 60 random bits and lives ten minutes. This bounds what many networks can try together.
  setupTryAll: {
    name: "setup-try-all",
    quota: 1_000,
    window: 3600,
    store: "database",
    counts: "setup codes tried on the whole server",
  },
} as const;

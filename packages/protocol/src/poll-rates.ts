/** The rates of polls, a part of `RATES` (limits.ts). */
export const POLL_RATES = {
  poll: { name: "poll", quota: 5, window: 60, store: "shared", counts: "polls made, per user or agent" },
  vote: { name: "vote", quota: 30, window: 60, store: "shared", counts: "votes in polls, per user" },
} as const;

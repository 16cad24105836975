/** The rates of webhooks in both directions, part of `RATES`. */
export const WEBHOOK_RATES = {
  webhooks: {
    name: "webhooks",
    quota: 30,
    window: 60,
    store: "shared",
    counts: "webhooks created or changed, tests, redeliveries, replays and new secrets, per user or agent",
  },
  incomingWebhook: {
    name: "incoming-webhook",
    quota: 30,
    window: 60,
    store: "shared",
    counts: "messages of an incoming webhook",
  },
} as const;

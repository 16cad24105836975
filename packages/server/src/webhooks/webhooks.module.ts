import { onPurgePass } from "../channels/deleted/purge.ts";
import type { Module } from "../module.ts";
import { wholeList } from "../user-export.ts";
import { eraseWebhooks } from "./erase.ts";
import { incomingRoutes } from "./incoming/incoming.routes.ts";
import { deleteHooksOfPurged } from "./outgoing/hooks.store.ts";
import { outgoingRoutes } from "./outgoing/outgoing.routes.ts";
import { endWebhooks } from "./outgoing/overdue.ts";
import { ownWebhooks } from "./own-webhooks.ts";
import { startWebhooks } from "./start.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<`webhook_${"create" | "delete" | "rotate" | "update"}`, true> {}
}

export const webhooks: Module = {
  name: "webhooks",
  routes: [...outgoingRoutes, ...incomingRoutes],
  tags: {
    Webhooks: "Requests to other servers for each event, and addresses that others call to post into a channel.",
  },
  erase: { webhooks: eraseWebhooks },
  exports: { webhooks: wholeList((ctx, { userId }) => ownWebhooks(ctx, userId)) },
  guide: [
    {
      name: "webhooks",
      part: "more",
      about: "alerts into a channel; events to your server; replies in the answer",
      text: () => import("../../../../docs/guide/webhooks.md", { with: { type: "text" } }),
    },
  ],
  overdue: [endWebhooks],
  register(ctx) {
    onPurgePass(ctx, (ctx) => deleteHooksOfPurged(ctx.db));
  },
  start: startWebhooks,
};

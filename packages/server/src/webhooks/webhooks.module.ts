import type { Module } from "../module.ts";
import { wholeList } from "../user-export.ts";
import { eraseWebhooks } from "./erase.ts";
import { incomingRoutes } from "./incoming/incoming.routes.ts";
import { outgoingRoutes } from "./outgoing/outgoing.routes.ts";
import { ownWebhooks } from "./own-webhooks.ts";
import { startWebhooks } from "./start.ts";

export const webhooks: Module = {
  name: "webhooks",
  routes: [...outgoingRoutes, ...incomingRoutes],
  erase: { webhooks: eraseWebhooks },
  exports: { webhooks: wholeList((ctx, { userId }) => ownWebhooks(ctx, userId)) },
  start: startWebhooks,
};

import type { Route } from "../http/route.ts";
import { incomingRoutes } from "./incoming/incoming.routes.ts";
import { outgoingRoutes } from "./outgoing/outgoing.routes.ts";

/** Webhooks in both directions (protocol §12.5). */
export const webhookRoutes: readonly Route[] = [...outgoingRoutes, ...incomingRoutes];

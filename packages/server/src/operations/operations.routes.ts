import { Type } from "typebox";
import { requireLevel } from "../administration/level.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { lifecycle } from "../http/lifecycle.ts";
import { type Route, route } from "../http/route.ts";
import { mayReadMetrics } from "./metrics-access.ts";
import { requireReady } from "./operations.service.ts";

const ADMINISTRATOR = 2;

const metricsText = async ({ metrics }: AppContext): Promise<Response> =>
  new Response(await metrics.render(), {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
  });

/** Routes for the people and programs that run the server (protocol §10). */
export const operationRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/livez",
    summary: "Is the process alive? Asks nothing of the database.",
    tag: "Operation",
    auth: "open",
    rights: "see the service",
    answers: { 200: Type.Object({ success: Type.Literal(true), status: Type.Literal("live") }) },
    errors: [],
    handle: () => ({ status: "live" }),
  }),
  route({
    method: "GET",
    path: "/readyz",
    summary:
      "May requests be sent here? Not before the database answers, nor while it takes no writes (a full disk), nor while the server stops. `details.reason` says why: `starting`, `storage_full`, `storage_unavailable`.",
    tag: "Operation",
    auth: "open",
    rights: "see the service",
    answers: { 200: Type.Object({ success: Type.Literal(true), status: Type.Literal("ready") }) },
    errors: ["not_ready", "draining"],
    async handle({ ctx }) {
      await requireReady(ctx);
      return { status: "ready" };
    },
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary:
      "Counts and durations in Prometheus' text format, for programs on the server's machine and for callers with PARLEY_METRICS_TOKEN.",
    tag: "Operation",
    auth: "open",
    rights: "read metrics",
    answers: { 200: Type.String() },
    mediaType: "text/plain",
    reads: [{ name: "Authorization", required: false, description: "`Bearer <PARLEY_METRICS_TOKEN>`." }],
    errors: ["not_found"],
    async handle({ ctx, address, request: { headers } }) {
      if (!mayReadMetrics(ctx.config, { address, headers, port: lifecycle(ctx).port })) throw fail("not_found");
      return metricsText(ctx);
    },
  }),
  route({
    method: "GET",
    path: "/api/admin/metrics",
    summary: "The same for administrators, from wherever they are.",
    tag: "Operation",
    auth: "session",
    rights: "see health",
    answers: { 200: Type.String() },
    mediaType: "text/plain",
    errors: ["forbidden"],
    handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return metricsText(ctx);
    },
  }),
];

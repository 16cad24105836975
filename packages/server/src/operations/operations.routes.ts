import { HEALTH_SAMPLE_SECONDS, HealthResponse } from "@parley/protocol/health";
import { SiteResponse } from "@parley/protocol/site";
import { Type } from "typebox";
import { providerName } from "../accounts/oidc/provider.ts";
import { hasOwner } from "../accounts/operators-accounts.ts";
import { sendsMail } from "../config/mail.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { lifecycle } from "../http/connections/lifecycle.ts";
import { type Route, route } from "../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { logoVersion } from "../site/change-site.ts";
import { siteNow } from "../site/site.ts";
import { isLocalCaller, mayReadMetrics } from "./metrics-access.ts";
import { requireReady } from "./operations.service.ts";

const metricsText = async ({ metrics }: AppContext): Promise<Response> =>
  new Response(await metrics.render(), {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
  });

const MIB = 1024 * 1024;

/** Routes for the people and programs that run the server (protocol §10). */
export const operationRoutes: readonly Route[] = [
  route({
    name: "checkLive",
    method: "GET",
    path: "/livez",
    summary: "Check that the process is alive. Does not ask the database.",
    tag: "Operation",
    auth: "open",
    documentedActs: "see the service",
    answers: { 200: Type.Object({ success: Type.Literal(true), status: Type.Literal("live") }) },
    errors: [],
    handle: () => ({ status: "live" }),
  }),
  route({
    name: "checkReady",
    method: "GET",
    path: "/readyz",
    summary:
      "Check that the server can serve requests. It cannot while it starts or stops, or while the database does not respond or takes no writes (a full disk). `details.reason` says why: `starting`, `storage_full`, `storage_unavailable`, and on a node of a cluster `no_heartbeat`. A node is `degraded` while Redis does not carry everything between the nodes.",
    tag: "Operation",
    auth: "open",
    documentedActs: "see the service",
    answers: { 200: Type.Object({ success: Type.Literal(true), status: Type.Enum(["ready", "degraded"]) }) },
    errors: ["not_ready", "draining"],
    async handle({ ctx }) {
      return { status: await requireReady(ctx) };
    },
  }),
  route({
    name: "getSite",
    method: "GET",
    path: "/api/site",
    summary: "See the site's name, who may register, and how to log in",
    tag: "Operation",
    auth: "open",
    documentedActs: "see the service",
    answers: { 200: SiteResponse },
    errors: [],
    async handle({ ctx, address, request: { headers } }) {
      const { guestRead: guest_read, fileMaxMib, fileTypes } = ctx.config;
      const { name, registration, logo } = await siteNow(ctx);
      const login = { password_login: ctx.config.passwordLogin, oidc_name: providerName(ctx.config) };
      // Strangers must not learn that nobody watches over the site yet.
      const isOperator = isLocalCaller(ctx.config, { address, headers, port: lifecycle(ctx).port });
      const needs_owner = isOperator && !(await hasOwner(ctx));
      const files = { file_max_bytes: fileMaxMib * MIB, file_types: fileTypes };
      const value = ctx.config.value === "on";
      const { agentsPerUser: agents_per_user, linkPreviews: link_previews, customEmoji: custom_emoji } = ctx.config;
      const site = { name, logo: logoVersion(logo), registration, ...login, guest_read, ...files };
      const mail = sendsMail(ctx.config);
      return { site: { ...site, value, link_previews, custom_emoji, mail, agents_per_user, needs_owner } };
    },
  }),
  route({
    name: "getMetrics",
    method: "GET",
    path: "/metrics",
    summary:
      "Read metrics in the Prometheus text format. For programs on the server's machine and callers with PARLEY_METRICS_TOKEN.",
    tag: "Operation",
    auth: "open",
    documentedActs: "read metrics",
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
    name: "getAdminMetrics",
    method: "GET",
    path: "/api/admin/metrics",
    summary: "Read the same metrics as an administrator, from anywhere.",
    tag: "Operation",
    auth: "session",
    documentedActs: "see health",
    answers: { 200: Type.String() },
    mediaType: "text/plain",
    errors: ["forbidden"],
    handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return metricsText(ctx);
    },
  }),
  route({
    name: "getHealth",
    method: "GET",
    path: "/api/admin/health",
    summary: "See the health of the process over the last hour",
    tag: "Operation",
    auth: "session",
    documentedActs: "see health",
    answers: { 200: HealthResponse },
    errors: ["forbidden"],
    handle({ ctx: { metrics }, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      const { cluster } = metrics;
      const node = cluster === null ? null : { id: cluster.id, name: cluster.name, nodes: cluster.nodes };
      return { node, sample_seconds: HEALTH_SAMPLE_SECONDS, series: metrics.health.series() };
    },
  }),
];

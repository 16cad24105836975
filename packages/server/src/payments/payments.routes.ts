import {
  PAID_BYTES,
  PaidAdminParams,
  PaidBody,
  PaidListResponse,
  PaidParams,
  PaidQuery,
  PaidRemovedResponse,
  PaidResponse,
  PaymentsQuery,
  PaymentsResponse,
  PaymentTotalsResponse,
} from "@parley/protocol/payments";
import { Type } from "typebox";
import { type Route, route } from "../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { addPaid, buy, newPaid, paidResources, removePaid } from "./offers/paid.service.ts";
import { payOverHttp } from "./pay/transports.ts";
import { paymentTotals, readPayments } from "./payments.service.ts";
import { PAYMENT_ERRORS, PAYMENT_HEADERS } from "./route-parts.ts";

const tag = "Payments";

/**
 * The same handler for GET and POST: clients of the plain form send the proof with POST, x402 clients repeat their
 * method.
 */
const bought: Route[] = (["GET", "POST"] as const).map((method) =>
  route({
    name: method === "GET" ? "getPaidResource" : "buyPaidResource",
    method,
    path: "/api/paid/:resource_slug",
    summary: "Get a resource that is for sale. Without payment the response is 402 and says how to pay.",
    tag,
    auth: "anyone",
    scope: "pay",
    documentedActs: "buy resource",
    params: PaidParams,
    answers: { 200: Type.String({ format: "binary", description: "The resource, with its own media type." }) },
    mediaType: "*/*",
    query: PaidQuery,
    reads: PAYMENT_HEADERS,
    errors: ["resource_not_found", ...PAYMENT_ERRORS],
    async handle(call) {
      const { content, mediaType } = await buy(call.ctx, call.params.resource_slug, payOverHttp(call));
      // Even content from an administrator must not run under this server's origin.
      const headers = { "content-type": mediaType, "content-security-policy": "sandbox; default-src 'none'" };
      return new Response(content, { headers });
    },
  }),
);

const sold: Route[] = [
  route({
    name: "createPaidResource",
    method: "POST",
    path: "/api/admin/paid",
    summary: "Put a resource up for sale.",
    tag,
    auth: "session",
    documentedActs: "sell resources",
    body: PaidBody,
    // The content in base64, and room for the other fields.
    bodyBytes: Math.ceil(PAID_BYTES / 3) * 4 + 64 * 1024,
    invalid: { price: "invalid_price" },
    status: 201,
    answers: { 200: PaidResponse, 201: PaidResponse },
    errors: ["forbidden", "invalid_price", "invalid_resource", "resource_exists", "payments_not_configured"],
    idempotent: true,
    async handle({ ctx, caller, body }) {
      requireLevel(caller, ADMINISTRATOR);
      return { message: "The resource is for sale.", resource: await addPaid(ctx, caller, newPaid(body)) };
    },
  }),
  route({
    name: "listPaidResources",
    method: "GET",
    path: "/api/admin/paid",
    summary: "List the resources for sale.",
    tag,
    auth: "session",
    documentedActs: "sell resources",
    answers: { 200: PaidListResponse },
    errors: ["forbidden"],
    async handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return { resources: await paidResources(ctx) };
    },
  }),
  route({
    name: "deletePaidResource",
    method: "DELETE",
    path: "/api/admin/paid/:slug",
    summary: "Take a resource off sale. Buyers can still fetch it for the rest of their day.",
    tag,
    auth: "session",
    documentedActs: "sell resources",
    params: PaidAdminParams,
    answers: { 200: PaidRemovedResponse },
    errors: ["forbidden", "resource_not_found"],
    async handle({ ctx, caller, params: { slug } }) {
      requireLevel(caller, ADMINISTRATOR);
      await removePaid(ctx, caller, slug);
      return { message: "The resource is no longer for sale.", slug };
    },
  }),
];

const seen: Route[] = [
  route({
    name: "listPayments",
    method: "GET",
    path: "/api/admin/payments",
    summary: "List payments: granted, revoked, and refused with the reason.",
    tag,
    auth: "session",
    documentedActs: "see payments",
    query: PaymentsQuery,
    answers: { 200: PaymentsResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return readPayments(ctx, query);
    },
  }),
  route({
    name: "getPaymentTotals",
    method: "GET",
    path: "/api/admin/payments/totals",
    summary: "Sum the payments received, by coin and wallet.",
    tag,
    auth: "session",
    documentedActs: "see payments",
    answers: { 200: PaymentTotalsResponse },
    errors: ["forbidden"],
    async handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return { totals: await paymentTotals(ctx) };
    },
  }),
];

/** Routes of payments (protocol §7, §11). */
export const paymentRoutes: readonly Route[] = [...bought, ...sold, ...seen];

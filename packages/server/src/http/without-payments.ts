import { PROOF_ERRORS } from "@parley/protocol/command-errors";
import type { ErrorCode } from "@parley/protocol/errors";
import { type TSchema, Type } from "typebox";
import type { Route } from "./route.ts";

/** Codes that only payments and red packets cause. A server without them answers `payments_not_configured` instead. */
export const PAYMENT_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...PROOF_ERRORS,
  "payment_required",
  "open_red_packets",
]);

/** The headers that payments read, and the fields of queries, bodies and answers that only they have (protocol §7). */
const HEADERS: ReadonlySet<string> = new Set(["PAYMENT-SIGNATURE", "X402-Version"]);
const FIELDS = ["x402", "payment_signature", "refetchToken"];

/** Returns the schema of an object without the fields of payments; any other schema as it is. */
export function withoutPaymentFields(schema: TSchema): TSchema {
  const { properties } = schema as { properties?: Record<string, TSchema> };
  const found = FIELDS.filter((name) => properties !== undefined && name in properties);
  return found.length === 0 ? schema : Type.Omit(schema, found);
}

/** Returns a route as a server without payments has it: it reads no proof, and lists no refusal of one. */
export function withoutPayments(route: Route): Route {
  const { query, reads, ...rest } = route;
  const errors = route.errors.filter((code) => !PAYMENT_CODES.has(code));
  // What can meet a channel with a password can meet one with a price, too.
  if (errors.includes("password_required") && !errors.includes("payments_not_configured"))
    errors.push("payments_not_configured");
  const answers = Object.entries(route.answers).map(([status, schema]) => [status, withoutPaymentFields(schema)]);
  return {
    ...rest,
    errors,
    answers: Object.fromEntries(answers),
    ...(query === undefined ? {} : { query: withoutPaymentFields(query) }),
    ...(reads === undefined ? {} : { reads: reads.filter(({ name }) => !HEADERS.has(name)) }),
  };
}

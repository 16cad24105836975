import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import type { TObject } from "typebox";
import type { Auth, Route } from "../http/route.ts";

const KEY_ERRORS = ["missing_api_key", "invalid_api_key", "key_revoked", "key_expired", "agent_paused"] as const;

/** The errors that each kind of credential can cause (http/authenticate.ts). */
const AUTH_ERRORS: Record<Auth, readonly ErrorCode[]> = {
  open: [],
  visitor: [],
  guest: ["session_required", ...KEY_ERRORS],
  anyone: KEY_ERRORS,
  session: ["session_required"],
  agent: KEY_ERRORS,
  member: ["session_required", ...KEY_ERRORS],
};

/**
 * Returns every code a route can return, by status: its own, and those of the pipeline's checks that apply to it
 * (http/pipeline.ts).
 */
export function errorsByStatus(route: Route): Map<number, ErrorCode[]> {
  return byStatus([
    ...route.errors,
    ...AUTH_ERRORS[route.auth as Auth],
    ...factorErrors(route),
    ...endedErrors(route),
    ...scopeErrors(route),
    ...inputErrors(route),
    ...platformErrors(route),
    ...pricedErrors(route),
  ]);
}

/** A user who must set up a second factor first is refused by every route that recognizes users, except those that do it. */
function factorErrors({ auth, beforeSecondFactor }: Route): ErrorCode[] {
  const isForUsers = auth !== "open" && auth !== "agent";
  return isForUsers && beforeSecondFactor !== true ? ["second_factor_setup_required"] : [];
}

/** A session that is optional may end while the request is under way; then nothing is written. */
function endedErrors({ auth, method }: Route): ErrorCode[] {
  return method !== "GET" && (auth === "visitor" || auth === "anyone") ? ["session_required"] : [];
}

/** Codes for keys with limits; a route that can name a channel to an agent can also meet one outside its key's limits. */
function scopeErrors({ scope, errors }: Route): ErrorCode[] {
  if (scope === undefined) return [];
  const codes: ErrorCode[] = scope === "any" ? [] : ["insufficient_scope"];
  // A challenge needs `pay`, and room in the agent's budgets.
  if (errors.includes("payment_pending")) codes.push("insufficient_scope", "budget_exhausted");
  const namesChannel = errors.includes("channel_not_found") || errors.includes("password_required");
  return namesChannel ? [...codes, "channel_not_in_scope"] : codes;
}

/** Groups codes by status, without duplicates. */
export function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of [...new Set(codes)].sort()) {
    const status = ERRORS[code][0];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

function inputErrors(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = Object.values(route.invalid ?? {}).flat() as ErrorCode[];
  const takesInput = route.params !== undefined || route.query !== undefined || route.body !== undefined;
  if (takesInput) codes.push("invalid_request");
  // A name in the path may be undecodable (`%00`), which is reported as an invalid id.
  if (route.params !== undefined) codes.push("invalid_id");
  if (route.query !== undefined && "limit" in (route.query as TObject).properties) codes.push("invalid_limit");
  if (route.method !== "GET") codes.push("body_too_large");
  if (route.method !== "GET" && route.auth !== "agent") codes.push("cross_site");
  if (route.body !== undefined) codes.push("unsupported_media_type");
  if (route.body !== undefined && route.upload === undefined) codes.push("invalid_json");
  if (route.upload !== undefined) codes.push(route.upload.missing);
  if (route.readOnly !== undefined) codes.push("field_not_writable");
  if (route.idempotent === true) codes.push("idempotency_key_invalid", "idempotency_conflict");
  return codes;
}

/** A route that can return `password_required` can also meet a channel with a price. Some say themselves what they answer then. */
function pricedErrors({ errors }: Route): ErrorCode[] {
  if (!errors.includes("password_required") || errors.includes("payments_not_configured")) return [];
  return ["payment_required", "payments_not_configured"];
}

/** Open GETs without a policy use neither the limiter nor the database. */
function platformErrors(route: Route): ErrorCode[] {
  const isStatic = route.auth === "open" && route.method === "GET" && route.rates === undefined;
  return isStatic ? ["internal_error"] : ["rate_limited", "internal_error", "storage_full", "storage_unavailable"];
}

import { ERRORS, type ErrorCode, isRetryable } from "../packages/protocol/src/errors.ts";
import { type ListedRate, RATES, type RateStore } from "../packages/protocol/src/limits.ts";

/** Renders the page of all error codes, from the table that the server answers with. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, text]]) =>
      `| \`${code}\` | ${status} | ${isRetryable(code as ErrorCode) ? "yes" : "no"} | ${text} |`,
  );
  return `<!-- Generated from packages/protocol/src/errors.ts by \`npm run format\`. Do not edit. -->
# Error codes

Every error carries one of these codes ([protocol §0](protocol.md#errors)). Clients branch on the code; the text may change. "Retry" says whether the
same request may succeed later.

| Code | Status | Retry | Text |
|---|---|---|---|
${rows.join("\n")}
`;
}

/** Renders the page of all rate limits, from the table that the rate limiter reads. */
export function ratesPage(): string {
  const rows = Object.values<ListedRate>(RATES).map(
    ({ name, quota, window, counts, fixed, store }) =>
      `| \`${name}\` | ${quota} in ${windowText(window)} | ${counts}${fixed === true ? "; the same in every profile" : ""} | ${PLACES[store]} |`,
  );
  return `<!-- Generated from packages/protocol/src/limits.ts by \`npm run format\`. Do not edit. -->
# Rates

The rates of the production profile ([protocol §9](protocol.md#9-limits-and-rates)). Development multiplies them by 100. The name of a rate is in the
\`RateLimit\` headers. A network is an IPv4 address or an IPv6 /64.

The last column says where the nodes of a cluster count a rate together. While Redis is away, each node counts those rates alone; the ones in the database
hold without it. A lone server counts in its memory.

| Name | Rate | What is counted | In a cluster |
|---|---|---|---|
${rows.join("\n")}
`;
}

const PLACES: Record<RateStore, string> = { socket: "by the socket's node", shared: "Redis", database: "database" };

function windowText(seconds: number): string {
  const units: Record<number, string> = { 1: "a second", 60: "a minute", 3600: "an hour" };
  return units[seconds] ?? `${seconds} seconds`;
}

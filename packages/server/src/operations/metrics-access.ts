import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { Config } from "../config/config.ts";
import { isLoopback } from "../config/parse.ts";

/** Headers that proxies add. Their names vary by product, so every name of these families counts. */
const FORWARDING =
  /^(x-forwarded|x-original|x-envoy|forwarded$|via$|cdn-loop$|cf-|true-client-ip$|fly-|x-(real|client|cluster-client|remote|proxyuser|azure-client)-?ip)/i;

/** A request for `/metrics`. */
export interface MetricsRequest {
  /** The peer's address. */
  address: string;
  headers: Headers;
  /** The port the server listens on. */
  port: number;
}

type Settings = Pick<Config, "metricsPublic" | "metricsToken" | "publicUrl">;

/**
 * Decides who may read `/metrics` (protocol §10): everybody if the operator says so, callers that present the token,
 * and programs on this machine.
 */
export function mayReadMetrics(config: Settings, request: MetricsRequest): boolean {
  return config.metricsPublic || hasToken(config.metricsToken, request.headers) || isLocalCaller(config, request);
}

function hasToken(token: string | null, headers: Headers): boolean {
  const presented = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  // Digests have one length, so the comparison takes the same time for every guess.
  return token !== null && presented !== undefined && timingSafeEqual(digest(presented), digest(token));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Tells whether the caller runs on this machine. A proxy on this machine that adds no header and names the server in
 * `Host`, as nginx does by default, looks the same as a local program. So no caller counts as local once the server has
 * a public address.
 */
export function isLocalCaller({ publicUrl }: Pick<Config, "publicUrl">, request: MetricsRequest): boolean {
  if (publicUrl !== null && !isLoopback(new URL(publicUrl).hostname)) return false;
  const { address, headers, port } = request;
  if (isIP(address) === 0 || !/^(::1$|(::ffff:)?127\.)/i.test(address)) return false;
  const host = URL.parse(`http://${headers.get("host") ?? ""}`);
  if (host === null || !isLoopback(host.hostname) || Number(host.port || 80) !== port) return false;
  return ![...headers.keys()].some((name) => FORWARDING.test(name));
}

import type { WebhookEvent } from "@parley/protocol/webhooks";

const PREFIX = "whsec_";
/** Older and newer requests are refused, so that nobody can send a recorded one later. */
const TOLERANCE_SECONDS = 5 * 60;

/** The headers of a request: `Request.headers`, or an object such as Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request that was not sent by the server, or too long ago. Answer it with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/**
 * Verifies a request to a webhook and returns its event (protocol §12.5, Standard Webhooks). `body` is the text as it
 * arrived: JSON that was parsed and written again has another signature. An event can arrive twice, under the same
 * `webhook-id`. Throws `WebhookVerificationError`.
 */
export async function verifyWebhook(headers: WebhookHeaders, body: string, secret: string): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookVerificationError("A header of the signature is missing.");
  const age = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError("The request was signed too long ago, or in the future.");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace(PREFIX, "")), hmac, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    // WebCrypto compares in constant time.
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, bytesOf(value), signed)))
      return JSON.parse(body) as WebhookEvent;
  }
  throw new WebhookVerificationError("No signature matches the secret.");
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Decodes base64; malformed text is no bytes, which match nothing. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

import { createHmac } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 24;

/** Returns a new secret, in the form of Standard Webhooks. */
export const newSecret = (random: (bytes: number) => Uint8Array): string =>
  PREFIX + Buffer.from(random(SECRET_BYTES)).toString("base64");

/** Returns the headers of Standard Webhooks for a body: one signature for each secret. */
export function signedHeaders(
  id: string,
  { secrets, now, body }: { secrets: readonly string[]; now: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

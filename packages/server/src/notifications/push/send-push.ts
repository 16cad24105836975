import { createHmac } from "node:crypto";
import type { PushPayload } from "@parley/protocol/notifications";
import webPush from "web-push";
import type { AppContext } from "../../context.ts";
import { slowly } from "../../http/acts/slow.ts";
import { outgoing } from "../../outgoing/outgoing.ts";
import type { OutgoingResult } from "../../outgoing/send-request.ts";
import type { DueRow } from "./queue.store.ts";
import { vapidKeys } from "./subscriptions.service.ts";

const TTL_SECONDS = 24 * 60 * 60;
/** The longest topic (RFC 8030). */
const TOPIC_LENGTH = 32;
const RETRY_AFTER_MAX_S = 600;

/** What the push service made of a push. */
export type Delivery =
  | { status: "delivered" }
  /** The browser does not want push messages any more. */
  | { status: "gone" }
  /** The server itself is busy: nothing was sent. */
  | { status: "busy" }
  /** `retryAfterMs`: as the service asks. */
  | { status: "failed"; reason: string; retryAfterMs: number };

/** Encrypts a push for its browser and posts it to the push service. */
export async function sendPush(ctx: AppContext, due: DueRow, payload: PushPayload): Promise<Delivery> {
  const { public_key: publicKey, private_key: privateKey } = await vapidKeys(ctx);
  const keys = { p256dh: due.p256dh, auth: due.auth };
  // web-push only encrypts and signs: what it would send goes through `outgoing`.
  const request = webPush.generateRequestDetails({ endpoint: due.endpoint, keys }, JSON.stringify(payload), {
    vapidDetails: { subject: subjectOf(ctx), publicKey, privateKey },
    TTL: TTL_SECONDS,
    urgency: payload.kind === "message" ? "normal" : "high",
    topic: topicOf(privateKey, due.channel_id),
    contentEncoding: "aes128gcm",
  });
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const post = { method: "POST" as const, headers, body: request.body };
  const purpose = { kind: "push" as const, owner: `u${due.user_id}` };
  const result = await slowly(ctx, "request", () => outgoing(ctx).send(due.endpoint, post, purpose));
  return deliveryOf(result);
}

function deliveryOf(result: OutgoingResult): Delivery {
  if (result.outcome === "overloaded") return { status: "busy" };
  if (result.outcome !== "answered") return { status: "failed", reason: result.outcome, retryAfterMs: 0 };
  const { status, headers } = result;
  if (status >= 200 && status < 300) return { status: "delivered" };
  if (status === 404 || status === 410) return { status: "gone" };
  const seconds = Math.min(Number(headers["retry-after"]) || 0, RETRY_AFTER_MAX_S);
  return { status: "failed", reason: `status_${status}`, retryAfterMs: Math.max(seconds, 0) * 1_000 };
}

/** Push services replace undelivered messages of the same topic. It tells them nothing about the channel. */
const topicOf = (secret: string, channelId: number): string =>
  createHmac("sha256", secret).update(`topic ${channelId}`).digest("base64url").slice(0, TOPIC_LENGTH);

/** Returns who answers for the pushes. Without a setting and an https address, no real push service will take them. */
function subjectOf({ config }: AppContext): string {
  if (config.pushSubject !== null) return config.pushSubject;
  const { publicUrl } = config;
  return publicUrl?.startsWith("https://") === true ? publicUrl : "mailto:operator@localhost";
}

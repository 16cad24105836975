import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "./verify-webhook.ts";

const SECRET = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;
const BODY = JSON.stringify({ type: "message.new", timestamp: "2026-01-01T00:00:00.000Z", data: { text: "漢" } });
const now = () => Math.floor(Date.now() / 1_000);

function headersOf({ id = "msg_1", at = now(), body = BODY, secret = SECRET } = {}): Record<string, string> {
  const signature = new Webhook(secret).sign(id, new Date(at * 1_000), body);
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signature };
}
const isRefused = (headers: Record<string, string>, body = BODY) =>
  expect(verifyWebhook(headers, body, SECRET)).rejects.toBeInstanceOf(WebhookVerificationError);

test("accepts what standardwebhooks signs, with any form of headers, and during a rotation", async () => {
  const headers = headersOf();
  expect(await verifyWebhook(headers, BODY, SECRET)).toMatchObject({ type: "message.new", data: { text: "漢" } });
  expect((await verifyWebhook(new Headers(headers), BODY, SECRET)).type).toBe("message.new");
  const old = createHmac("sha256", "other").update("x").digest("base64");
  const both = { ...headers, "webhook-signature": `v1,${old} v2,x ${headers["webhook-signature"]}` };
  expect((await verifyWebhook(both, BODY, SECRET)).type).toBe("message.new");
});

test("refuses other bodies, ids, times, secrets and signatures", async () => {
  const headers = headersOf();
  await isRefused(headers, `${BODY} `);
  await isRefused({ ...headers, "webhook-id": "msg_2" });
  await isRefused({ ...headers, "webhook-timestamp": String(now() + 1) });
  await isRefused(headersOf({ at: now() - 301 }));
  await isRefused(headersOf({ at: now() + 301 }));
  await isRefused(headersOf({ secret: `whsec_${Buffer.from("another").toString("base64")}` }));
  for (const signature of ["", "v1,", "v1,%%%", "v1", "x"])
    await isRefused({ ...headers, "webhook-signature": signature });
  const { "webhook-id": _, ...without } = headers;
  await isRefused(without);
});

import { expect, test } from "bun:test";
import { ParleyError } from "../../src/errors.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

/** The calls for webhooks in both directions. */
export function webhookCalls({ person }: RecordedCalls): void {
  test("calls for webhooks return what the server stored", async () => {
    const wanda = await person("wanda");
    const { channel_id } = await wanda.channels.create({ name: "Hooks" });
    const body = { url: "https://8.8.8.8/hook", events: ["channel.deleted"], channel_id };
    const { webhook, secret } = await wanda.webhooks.create(body);
    const id = webhook.webhook_id;
    expect(secret).toStartWith("whsec_");
    expect((await wanda.webhooks.list({ channel_id })).webhooks).toEqual([webhook]);
    expect((await wanda.webhooks.get(id)).webhook).toEqual(webhook);
    expect((await wanda.webhooks.rotateSecret(id, { grace_seconds: 60 })).secret).not.toBe(secret);
    expect((await wanda.webhooks.replay(id, 0)).webhook.webhook_id).toBe(id);
    const { delivery } = await wanda.webhooks.test(id);
    expect((await wanda.webhooks.redeliver(id, delivery.delivery_id)).delivery.event).toBe("webhook.test");
    expect((await wanda.webhooks.update(id, { status: "disabled" })).webhook.disabled_reason).toBe("by_user");
    expect((await wanda.webhooks.deliveries(id, { limit: 1 })).deliveries).toHaveLength(1);
    await wanda.webhooks.delete(id);
    await expect(wanda.webhooks.get(id)).rejects.toBeInstanceOf(ParleyError);

    const hooks = wanda.incomingWebhooks;
    const made = await hooks.create(channel_id, { name: "Alerts" });
    const { incoming_webhook_id: incoming } = made.incoming_webhook;
    expect((await hooks.update(channel_id, incoming, { name: "Alarms" })).incoming_webhook.name).toBe("Alarms");
    // Other programs call the address, without the sdk.
    const said = { method: "POST", headers: { "content-type": "application/json" }, body: '{"message":"hi"}' };
    expect((await fetch(made.url, said)).status).toBe(201);
    expect((await hooks.rotate(channel_id, incoming)).url).not.toBe(made.url);
    expect((await hooks.list(channel_id)).incoming_webhooks).toHaveLength(1);
    await hooks.delete(channel_id, incoming);
  });
}

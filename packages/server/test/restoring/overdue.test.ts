import { expect, test } from "bun:test";
import { MODULES } from "../../src/modules.ts";
import { endOverdue } from "../../src/restoring/end-overdue.ts";
import { webhookSender } from "../../src/webhooks/start.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { DigestScene, HOUR_MS, MAILING } from "../support/digest-scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { SUBSCRIPTIONS } from "../support/push-scene.ts";
import { PushService } from "../support/push-service.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Something of each kind is due, and a restore ends it. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const config = { ...MAILING, egressAllow: ["127.0.0.0/8"], pushSubject: "mailto:operator@example.org" };
  const server = await forAllTests(startTestServer(config, { database: await open(), clock }));
  const scene = new DigestScene(server, clock);
  const { db } = server.ctx;

  test("what was due is ended and listed once, and what becomes due later waits", async () => {
    using receiver = new WebhookReceiver();
    receiver.answer = () => new Response(null, { status: 500 });
    const { ann, bob, channel } = await scene.people();
    const { public_key } = (await ann.get("/api/push/key")).body;
    await ann.post(SUBSCRIPTIONS, new PushService().browser(public_key));
    const hook = await bob.post("/api/webhooks", { url: receiver.url, events: ["message.new"], channel_id: channel });
    const id = hook.body.webhook.webhook_id as number;
    const message_id = await scene.say(bob, channel, `@${ann.username} hello`);
    await webhookSender(server.ctx).pass();
    await eventually("the delivery waits for another try", async () => {
      const { deliveries } = (await bob.get(`/api/webhooks/${id}/deliveries`)).body;
      return deliveries[0]?.status === "waiting" && deliveries[0].tries > 0;
    });
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    for (const ms of [HOUR_MS, 9 * HOUR_MS]) {
      const sent = await bob.post("/api/scheduled", { channel_id: channel, content: "later", send_at: at(ms) });
      expect(sent.status).toBe(201);
      expect((await bob.post("/api/reminders", { message_id, remind_at: at(ms) })).status).toBe(201);
    }
    const mail = { address: null, parameters: "{}", epoch: "earlier", expires_at: clock.now() + 99 * HOUR_MS } as const;
    const userId = await scene.idOf(ann);
    await db
      .insertInto("mails")
      .values(
        (["waiting", "handing_over", "sent"] as const).map((state) => ({
          ...mail,
          kind: "security_notice" as const,
          user_id: userId,
          state,
          // This server leaves them alone: the one that a restore replaces does not run.
          due_at: clock.now() + 98 * HOUR_MS,
          claimed_until: clock.now() + 98 * HOUR_MS,
          message_id: `${state}@example.org`,
          created_at: clock.now(),
          ended_at: state === "sent" ? clock.now() : null,
        })),
      )
      .execute();

    const moment = { until: clock.now() + 5 * HOUR_MS, now: clock.now() + 6 * HOUR_MS };
    const ended = await endOverdue(db, MODULES, moment);
    const counts = Object.fromEntries(ended.map(({ what, count }) => [what, count]));
    expect(counts).toEqual({
      "scheduled message": 1,
      reminder: 1,
      "push message": 1,
      "webhook event": 1,
      digest: 1,
      mail: 2,
    });
    const words = JSON.stringify(ended);
    expect(words).toContain(`security_notice to user ${userId}`);
    expect(words).not.toContain("@example.org");
    expect(await endOverdue(db, MODULES, moment)).toEqual([]);

    const states = await db.selectFrom("mails").select(["state", "reason"]).orderBy("id").execute();
    expect(states).toEqual([
      { state: "dropped", reason: "restored" },
      { state: "dropped", reason: "restored" },
      { state: "sent", reason: null },
    ]);
    clock.ahead += 6 * HOUR_MS;
    await scene.pass(0);
    expect(await scene.mails(ann)).toEqual([]);
    const { scheduled } = (await bob.get("/api/scheduled")).body;
    expect(scheduled.map(({ status }: { status: string }) => status).toSorted()).toEqual(["failed", "waiting"]);
    const [delivery] = (await bob.get(`/api/webhooks/${id}/deliveries`)).body.deliveries;
    expect(delivery).toMatchObject({ status: "dead" });
    // What is missed from now on makes a digest as before.
    await scene.say(bob, channel, `@${ann.username} once more`);
    await scene.pass();
    expect(await scene.mails(ann)).toHaveLength(1);
  });
});

import { expect, test } from "bun:test";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { datedClock } from "../support/clock.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { expectError } from "../support/expect-error.ts";
import { pushKeys } from "../support/push-keys.ts";
import { PushService } from "../support/push-service.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const SUBSCRIPTIONS = "/api/push/subscriptions";
const EGRESS = { egressAllow: ["127.0.0.0/8"], pushSubject: "mailto:operator@example.org" };

test("is off where the operator says so", async () => {
  await using server = await startTestServer({ push: false });
  const ann = await server.user("ann");
  expectError(await ann.get("/api/push/key"), 404, "push_disabled");
  const body = { endpoint: "https://8.8.8.8/push", keys: pushKeys() };
  expectError(await ann.post(SUBSCRIPTIONS, body), 404, "push_disabled");
  expect((await ann.get(SUBSCRIPTIONS)).body.subscriptions).toEqual([]);
});

test("two nodes have the same key, send a message once, and see each other's visible pages", async () => {
  const clock = datedClock();
  using service = new PushService();
  await using cluster = await startNodes(2, { bus: "memory", config: EGRESS, overrides: { clock } });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const [ann, bob] = [await first.user("ann"), await second.user("bob")];
  const there = (path: string) => second.guest.get(path, { headers: ann.credential });
  const keys = await Promise.all([ann.get("/api/push/key"), there("/api/push/key")]);
  expect(keys[0]?.body).toEqual(keys[1]?.body);
  await ann.post(SUBSCRIPTIONS, service.browser(keys[0]?.body.public_key));
  const { channel_id } = (await bob.post("/api/direct", { username: "ann" })).body;
  const pass = async () => {
    for (const { ctx } of cluster.nodes) await notificationsConsumer(ctx).flush();
    clock.ahead += 11_000;
  };
  await bob.post("/api/messages", { channel_id, content: "one" });
  await pass();
  await eventually("the node on duty sends it", () => service.pushed.length === 1, 30_000);
  await using page = await LiveSocket.open(second.url, ann.credential);
  await page.ask("page:visible", { visible: true });
  const rows = () => first.ctx.db.selectFrom("visible_pages").selectAll().execute();
  await eventually("the other node can see it", async () => (await rows()).length === 1, 30_000);
  clock.ahead += 61_000;
  await bob.post("/api/messages", { channel_id, content: "two" });
  await pass();
  const waiting = () => first.ctx.db.selectFrom("push_queue").selectAll().where("pending", "=", 1).execute();
  await eventually("nothing is to be sent", async () => (await waiting()).length === 0, 30_000);
  expect(service.requests).toBe(1);
  await page[Symbol.asyncDispose]();
  await eventually("its row is gone", async () => (await rows()).length === 0, 30_000);
});

import { expect, test } from "bun:test";
import { WAIT_MS } from "../../src/notifications/push/queue.ts";
import { temporaryFolder } from "../support/config.ts";
import { stayDown } from "../support/faults/kill-around.ts";
import { PushService } from "../support/push-service.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { eventually, signUp } from "../support/servers/test-server.ts";

test("a kill before a push message is sent loses nothing, and one while it is sent repeats it at most", async () => {
  using service = new PushService();
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort(), { PARLEY_EGRESS_ALLOW: "127.0.0.0/8" });
  await server.start();
  const [ann, bob] = [await signUp(server.url, "ann"), await signUp(server.url, "bob")];
  const { public_key } = (await ann.get("/api/push/key")).body;
  await ann.post("/api/push/subscriptions", service.browser(public_key));
  const { channel_id } = (await bob.post("/api/direct", { username: "ann" })).body;
  const { message_id } = (await bob.post("/api/messages", { channel_id, content: "hello" })).body;
  await eventually("it is in the list", async () => (await ann.get("/api/notifications")).body.unread === 1);
  await server.end("SIGKILL");
  stayDown(folder, WAIT_MS, { push_queue: ["due_at"] });

  // The second server is killed when the push service has the message and has not answered.
  const { promise: never } = Promise.withResolvers<Response>();
  service.answer = () => never;
  await server.start();
  await eventually("it is sent", () => service.requests === 1);
  await server.end("SIGKILL");

  service.answer = () => new Response(null, { status: 201 });
  await server.start();
  await eventually("it is sent again", () => service.pushed.length === 1);
  expect(service.pushed[0]?.payload).toMatchObject({ kind: "direct", message_id });
  expect((await ann.get("/api/notifications")).body.notifications).toHaveLength(1);
});

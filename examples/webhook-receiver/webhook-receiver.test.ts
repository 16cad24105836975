import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { freePort } from "../../packages/server/test/support/servers/child-server.ts";
import { eventually, startTestServer } from "../../packages/server/test/support/servers/test-server.ts";

test("the example handles each event once, also after a restart, and refuses forged requests", async () => {
  await using server = await startTestServer({ egressAllow: ["127.0.0.1"] });
  const ann = await server.user("ann");
  const port = freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { channel_id } = (await ann.post("/api/channels", { name: "Room" })).body;
  const { webhook, secret } = (await ann.post("/api/webhooks", { url, events: ["message.new"], channel_id })).body;
  const handledFile = join(temporaryFolder(), "handled.txt");
  const start = () => {
    const env = {
      PATH: process.env.PATH ?? "",
      PARLEY_WEBHOOK_SECRET: secret,
      PORT: String(port),
      HANDLED_FILE: handledFile,
    };
    return Bun.spawn([process.execPath, join(import.meta.dir, "main.ts")], { env, stdout: "pipe", stderr: "inherit" });
  };
  const isUp = () =>
    fetch(url, { method: "POST", body: "{}" }).then(
      (answer) => answer.status === 401,
      () => false,
    );
  const deliveries = async () => (await ann.get(`/api/webhooks/${webhook.webhook_id}/deliveries`)).body.deliveries;
  let child = start();
  try {
    await eventually("it refuses forged requests", isUp);
    await ann.post("/api/messages", { channel_id, content: "hello, receiver" });
    await eventually("it is delivered", async () => (await deliveries())[0]?.status === "delivered");
    child.kill();
    const said = await new Response(child.stdout).text();
    expect(said.split("\n").filter((line) => line === "message.new: hello, receiver")).toHaveLength(1);
    child = start();
    await eventually("it is up again", isUp);
    const { delivery_id } = (await deliveries())[0];
    await ann.post(`/api/webhooks/${webhook.webhook_id}/deliveries/${delivery_id}/redeliver`);
    await eventually("it is delivered again", async () => (await deliveries())[0].tries === 2);
    child.kill();
    expect(await new Response(child.stdout).text()).not.toContain("hello");
  } finally {
    child.kill();
    await child.exited;
  }
});

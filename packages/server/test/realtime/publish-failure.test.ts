import { expect, test } from "bun:test";
import { createLog } from "../../src/logging/log.ts";
import { MemoryBroker } from "../../src/realtime/broker/broker.memory.ts";
import type { BrokerMessage } from "../../src/realtime/broker/broker.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** A broker that breaks its promise never to throw on publish. */
class ThrowingBroker extends MemoryBroker {
  override publish(topic: string, messages: readonly BrokerMessage[]): void {
    if (messages.some(({ event }) => event === "message:new")) throw new Error("The broker is broken.");
    super.publish(topic, messages);
  }
}

test("a committed message is answered and stored once, even if publishing it fails", async () => {
  const log = createLog({ level: "silent", readable: false });
  await using server = await startTestServer({}, { broker: new ThrowingBroker(), log });
  const ann = await server.user("ann");
  const texts = Array.from({ length: 8 }, (_, n) => `number ${n}`);
  const answers = await Promise.all(
    texts.map((content) => ann.post("/api/messages", { channel_slug: "general", content })),
  );
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201));
  const { body } = await ann.get("/api/messages?channel_slug=general");
  expect(body.messages.map(({ content }: { content: string }) => content).sort()).toEqual(texts);
});

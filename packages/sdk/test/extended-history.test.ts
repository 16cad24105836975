import { expect, test } from "bun:test";
import { openImport } from "../../server/src/imports/open/open.ts";
import { writeImport } from "../../server/src/imports/write/write.ts";
import {
  memoryStage,
  sourceChannel,
  sourceMessage,
  sourceUser,
} from "../../server/test/support/imports/memory-stage.ts";
import { eventually, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { QUICK, registered } from "./support/clients.ts";

const AT = Date.UTC(2019, 4, 6);
const stageOf = (...texts: string[]) =>
  memoryStage({
    users: [sourceUser("U1")],
    channels: [sourceChannel("C1", { name: "room", memberIds: ["U1"] })],
    messages: texts.map((text, at) => sourceMessage(text, { at: AT + at, text })),
  });

test("messages that an import adds are no new messages of a subscription, which begins again", async () => {
  await using server = await startTestServer();
  const { ctx } = server;
  const first = await writeImport(ctx, stageOf("one"), { format: "slack", fingerprint: "f1" });
  await openImport(ctx, first.importId);
  const client = await registered(server.url, "reader");
  const live = client.realtime({ backoff: QUICK });
  const seen: string[] = [];
  let [ready, resets] = [0, 0];
  using subscription = client.subscribe(live, {
    channel: "room",
    onReady: () => {
      ready += 1;
    },
    onReset: () => {
      resets += 1;
    },
    onEvent: (event) => {
      seen.push(event.event === "message:new" ? event.data.chat_message.content : event.event);
    },
  });
  await eventually("the subscription is ready", () => ready === 1);

  const second = await writeImport(ctx, stageOf("one", "two", "three"), { format: "slack", fingerprint: "f2" });
  await openImport(ctx, second.importId);
  await eventually("it begins again", () => ready === 2 && resets === 1);
  expect(subscription.position?.seq).toBe(4);
  await client.messages.send({ channel_slug: "room", content: "new" });
  await eventually("the new message arrives", () => seen.length > 0);
  expect(seen).toEqual(["new"]);
  live.close();
});

import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client } from "../support/servers/test-server.ts";
import { sendNote } from "../support/voice-notes.ts";

test("transcripts by several agents over two nodes: one wins, both nodes tell it, and none outlives its message", async () => {
  await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
  const [one, two] = cluster.nodes;
  if (one === undefined || two === undefined) throw new Error("no nodes");
  const ann = await one.user("ann");
  const agents = await Promise.all(["scribe", "whisper", "echo"].map((name) => one.agent(name)));
  const everywhere = agents.flatMap(({ credential }) => [
    new Client(one.url, credential),
    new Client(two.url, credential),
  ]);
  await using listener = await LiveSocket.open(two.url, ann.credential);
  await listener.ask("channel:join", { channel_slug: "general" });

  const { chat_message, path } = await sendNote(ann);
  const answers = await Promise.all(everywhere.map((agent) => agent.put(path, { text: "the words" })));
  // Each agent asks twice, and the repetition of the first one is no conflict.
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409]);
  const { data } = await listener.find(({ event }) => event === "message:update");
  const { transcript } = data.chat_message.files[0].voice;
  const winner = answers.find(({ status }) => status === 200)?.body.file.voice.transcript;
  expect(transcript).toEqual(winner);
  const events = await one.ctx.db
    .selectFrom("channel_events")
    .select("event")
    .where("message_id", "=", chat_message.id)
    .execute();
  expect(events).toEqual([{ event: "message:update" }]);

  for (let round = 0; round < 5; round++) {
    const note = await sendNote(ann);
    const there = new Client(two.url, ann.credential);
    const results = await Promise.all([
      ...everywhere.slice(0, 2).map((agent) => agent.put(note.path, { text: "late" })),
      there.delete(`/api/messages/${note.chat_message.id}`),
    ]);
    for (const { status, body } of results)
      expect([status, status === 200 ? undefined : body.code]).toBeOneOf([
        [200, undefined],
        [404, "file_not_found"],
      ]);
    const { id } = note.chat_message;
    const row = await two.ctx.db.selectFrom("messages").select("files").where("id", "=", id).executeTakeFirst();
    const file = await two.ctx.db.selectFrom("files").select("id").where("id", "=", note.file_id).executeTakeFirst();
    expect([row?.files, file]).toEqual([null, undefined]);
  }
});

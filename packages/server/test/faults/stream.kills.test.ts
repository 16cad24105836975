import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { killAround } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

/** Kill -9 while a message is being written, and while it is finished: one message, with all that was acknowledged. */
const KILLS = Number(process.env.PARLEY_TEST_STREAM_KILLS ?? 6);
const STREAMS = "/api/agenthub/streams";

test(`${KILLS} kills around a stream leave one message each, and lose nothing that was acknowledged`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  const key = (await server.command("key", "issue", "--agent", "Scout")).match(/ply_\w+/)?.[0];
  await server.start();
  const agent = new Client(server.url, { authorization: `Bearer ${key}` });
  const guest = new Client(server.url);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const body = { channel_slug: "general", agent_name: "Scout", client_msg_id: `answer-${kill}` };
    const { stream_id: id } = (await agent.post(STREAMS, body)).body;
    let text = "";
    for (const piece of ["one ", "two ", "three "]) {
      const { status } = await agent.post(`${STREAMS}/${id}/append`, { offset: text.length, delta: piece });
      expect(status).toBe(200);
      text += piece;
    }
    const isFinishing = kill % 2 === 1;
    const heard = await killAround(server, kill * 0.8, () =>
      isFinishing
        ? agent.post(`${STREAMS}/${id}/finish`, { message: "the whole answer" })
        : agent.post(`${STREAMS}/${id}/append`, { offset: text.length, delta: "four" }),
    );

    const { stream } = (await guest.get(`${STREAMS}/${id}`)).body;
    expect(stream.state).toBe("finished");
    const messages: { id: number; content: string; stream_id?: number }[] = (
      await guest.get("/api/messages?channel_slug=general&limit=200")
    ).body.messages;
    const [message, ...others] = messages.filter(({ stream_id }) => stream_id === id);
    expect([others.length, message?.id]).toEqual([0, stream.message_id]);
    if (isFinishing && heard !== null) expect(message?.content).toBe("the whole answer");
    else if (isFinishing) expect([text, "the whole answer"]).toContain(message?.content ?? "");
    else if (heard !== null) expect(message?.content).toBe(`${text}four`);
    else expect([text, `${text}four`]).toContain(message?.content ?? "");
    const again = await agent.post(`${STREAMS}/${id}/finish`, {});
    expect([again.status, again.body.message_id, again.body.finish_reason]).toEqual([
      200,
      stream.message_id,
      stream.finish_reason,
    ]);
  }
});

test("an answer without text goes on after a kill, however long the server was away", async () => {
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort());
  const begin = async (name: string) => {
    const issued = await server.command("key", "issue", "--agent", name);
    if (!server.isRunning) await server.start();
    const agent = new Client(server.url, { authorization: `Bearer ${issued.match(/ply_\w+/)?.[0]}` });
    const start = { channel_slug: "general", agent_name: name, client_msg_id: "answer" };
    return { agent, id: (await agent.post(STREAMS, start)).body.stream_id };
  };
  const scout = await begin("Scout");
  const revoked = await begin("Revoked");
  await server.end("SIGKILL");
  using database = new Database(join(folder, "parley.sqlite"));
  database.run("update streams set appended_at = appended_at - 300000");
  database.run("update agents set paused = 1 where id = (select max(agent_id) from streams)");
  await server.start();
  // Streams are looked at in their order.
  const guest = new Client(server.url);
  const state = async (id: number) => (await guest.get(`${STREAMS}/${id}`)).body.stream.state;
  await eventually("streams were looked at", async () => (await state(revoked.id)) === "cancelled");
  const { id, agent } = scout;
  expect((await agent.post(`${STREAMS}/${id}/append`, { offset: 0, delta: "Here I am." })).status).toBe(200);
  const { status, body } = await agent.post(`${STREAMS}/${id}/finish`, {});
  expect([status, body.chat_message?.content, body.finish_reason]).toEqual([201, "Here I am.", "finished"]);
});

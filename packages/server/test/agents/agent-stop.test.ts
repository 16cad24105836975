import { describe, expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { Client } from "../support/servers/test-server.ts";
import { code, STREAMS, streamScene } from "../support/stream-scene.ts";

/** Protocol §16.4: people stop agents. */
eachDatabase(async (_, open) => {
  const scene = await forAllTests(streamScene(open));
  const { server, ann } = scene;
  const bob = await server.user("bob");
  const { api_key, agent_id: agentId } = await issueKey(server.ctx, { agentName: "Coder", ownerUsername: "bob" });
  const coder = new Client(server.url, { authorization: `Bearer ${api_key}` });

  async function thread() {
    const { slug, id } = await scene.room();
    const said = await ann.post("/api/messages", { channel_id: id, content: "@Coder do it" });
    const root: number = said.body.message_id;
    const state = { channel_slug: slug, thread_root_id: root, agent_name: "Coder", state: "working" };
    expect((await coder.put("/api/agenthub/sessions", state)).status).toBe(200);
    return { slug, id, root };
  }
  const begin = async (slug: string, text: string, more: object = {}): Promise<number> => {
    const body = { channel_slug: slug, agent_name: "Coder", client_msg_id: scene.key(), ...more };
    const stream = (await coder.post(STREAMS, body)).body.stream_id;
    if (text !== "") await scene.append(stream, 0, text, coder);
    return stream;
  };
  const stop = (who: Client, channelId: number, root: number | null, agent_id = agentId) =>
    who.post(`/api/channels/${channelId}/stop`, { agent_id, thread_root_id: root });
  const stateIn = async (id: number) => (await ann.get(`/api/channels/${id}/sessions`)).body.sessions[0].state;
  const notices = async () => {
    const { items } = (await coder.get("/api/agenthub/inbox?kinds=notice")).body;
    await coder.post("/api/agenthub/inbox/ack", { item_ids: items.map(({ item_id }: { item_id: number }) => item_id) });
    return items.map(({ channel_id, notice }: { channel_id: number; notice: { type: string; details: object } }) => [
      channel_id,
      notice.type,
      notice.details,
    ]);
  };

  test("what has grown becomes the message, the session has failed, and the agent learns of it twice", async () => {
    const { slug, id, root } = await thread();
    const stream = await begin(slug, "Half of", { thread_root_id: root });
    const { socket } = await scene.joined(slug);
    using _ = socket;
    expect((await stop(ann, id, root)).body).toEqual({ success: true, stopped: true });
    const end = await socket.next(({ event }) => event === "stream:end");
    expect(end.data).toMatchObject({ stream_id: stream, finish_reason: "stopped" });
    expect(await stateIn(id)).toBe("failed");
    expect(await notices()).toEqual([[id, "stopped", { thread_root_id: root }]]);
    const append = await scene.append(stream, 7, " it", coder);
    expect(code(append)).toEqual([409, "stream_over"]);
    const { message_id } = append.body.details;
    const { messages } = (await ann.get(`/api/messages/${root}/thread`)).body;
    expect(messages.at(-1)).toMatchObject({ id: message_id, content: "Half of", stream_id: stream });
    const finished = await coder.post(`${STREAMS}/${stream}/finish`, { message: "All of it" });
    expect([finished.status, finished.body.finish_reason]).toEqual([200, "stopped"]);
    // Nothing is left to stop.
    expect((await stop(ann, id, root)).body).toEqual({ success: true, stopped: false });
    expect(await notices()).toEqual([]);
  });

  test("a stream without text leaves nothing, and one outside of threads is found by the message that it answers", async () => {
    const { slug, id, root } = await thread();
    const empty = await begin(slug, "", { thread_root_id: root });
    expect((await stop(ann, id, root)).body.stopped).toBe(true);
    expect((await ann.get(`${STREAMS}/${empty}`)).body.stream).toMatchObject({ state: "cancelled", message_id: null });
    for (const place of [root, null]) {
      const stream = await begin(slug, "In the channel", { reply_to_id: root });
      expect((await stop(ann, id, place)).body.stopped).toBe(true);
      expect((await ann.get(`${STREAMS}/${stream}`)).body.stream.finish_reason).toBe("stopped");
    }
    // Each thread has its own notice.
    const details = (await notices()).map(
      ([, , { thread_root_id }]: [number, string, { thread_root_id: number }]) => thread_root_id,
    );
    expect(details).toEqual([root, null]);
  });

  describe("whoever asked, the agent's owner and who moderates may stop it, and nobody else", () => {
    test("in a channel", async () => {
      const [cat, dan, eve] = [await server.user("cat"), await server.user("dan"), await server.user("eve")];
      const { slug, id, root } = await thread();
      for (const each of [bob, cat, dan]) await each.post(`/api/channels/${id}/join`);
      const work = () =>
        coder.put("/api/agenthub/sessions", {
          channel_slug: slug,
          thread_root_id: root,
          agent_name: "Coder",
          state: "working",
        });
      for (const who of [cat, eve]) expect(code(await stop(who, id, root))).toEqual([403, "forbidden"]);
      expect(code(await stop(server.guest, id, root))).toEqual([401, "session_required"]);
      expect((await stop(coder, id, root)).status).toBe(401);
      // A reply alone is no question to the agent.
      await cat.post("/api/messages", { channel_id: id, content: "well", thread_root_id: root });
      expect(code(await stop(cat, id, root))).toEqual([403, "forbidden"]);
      expect((await stop(bob, id, root)).body.stopped).toBe(true);
      await cat.post("/api/messages", { channel_id: id, content: "@Coder faster", thread_root_id: root });
      await work();
      expect((await stop(cat, id, root)).body.stopped).toBe(true);
      expect(code(await stop(dan, id, root))).toEqual([403, "forbidden"]);
      await ann.put(`/api/channels/${id}/members/dan`, { role: "admin" });
      await work();
      expect((await stop(dan, id, root)).body.stopped).toBe(true);
      await notices();
    });

    test("in a direct conversation with the agent its user, and nowhere else than where it was asked", async () => {
      expect((await bob.put(`/api/agents/${agentId}`, { dm_policy: "everyone" })).status).toBe(200);
      const { channel } = (await ann.post("/api/direct", { agent_name: "Coder" })).body;
      const said = (await ann.post("/api/messages", { channel_id: channel.id, content: "go" })).body;
      const stream = await begin(channel.channel_slug, "So", { reply_to_id: said.message_id });
      const elsewhere = await thread();
      expect((await stop(ann, channel.id, elsewhere.root)).body.stopped).toBe(false);
      expect(await stateIn(elsewhere.id)).toBe("working");
      expect((await stop(ann, channel.id, null)).body.stopped).toBe(true);
      expect((await ann.get(`${STREAMS}/${stream}`)).body.stream.finish_reason).toBe("stopped");
    });
  });
});

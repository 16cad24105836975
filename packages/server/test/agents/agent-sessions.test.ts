import { describe, expect, test } from "bun:test";
import { OPEN_SESSIONS_MAX } from "@parley/protocol/agent-sessions";
import { sessionPass } from "../../src/agents/sessions/follow-sessions.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Frame, TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";
import { code, streamScene } from "../support/stream-scene.ts";

const SESSIONS = "/api/agenthub/sessions";

/** Protocol §16.4: what agents do in threads. */
eachDatabase(async (_, open) => {
  const scene = await forAllTests(streamScene(open));
  const { server, clock, ann } = scene;

  async function thread(settings: Record<string, unknown> = {}) {
    const { slug, id: channelId } = await scene.room(settings);
    return { slug, channelId, root: await ask(channelId) };
  }
  const ask = async (channelId: number, content = "do it"): Promise<number> =>
    (await ann.post("/api/messages", { channel_id: channelId, content })).body.message_id;
  const put = (slug: string, root: number, more: object = {}, who: Client = scene.agent) =>
    who.put(SESSIONS, {
      channel_slug: slug,
      thread_root_id: root,
      agent_name: "Writer",
      state: "working",
      ...more,
    });
  const listed = async (channelId: number, query = "", who: Client = ann) =>
    (await who.get(`/api/channels/${channelId}/sessions${query}`)).body.sessions;
  const states = async (channelId: number, query = "") =>
    (await listed(channelId, query)).map(({ state }: { state: string }) => state);

  /** Returns a function that waits for the next event of a session on a socket. */
  function hearing(socket: TestSocket) {
    const heard = new Set<Frame>();
    return async () => {
      const frame = await socket.next((frame) => frame.event === "agent:session" && !heard.has(frame));
      heard.add(frame);
      return frame.data;
    };
  }

  test("are one a thread and agent, shown to the channel as they change", async () => {
    const { slug, channelId, root } = await thread();
    const { socket } = await scene.joined(slug);
    using _ = socket;
    const heard = hearing(socket);
    const first = await put(slug, root, { title: "  fix\nthe \u202etests " });
    const session = { channel_id: channelId, thread_root_id: root, agent_name: "Writer", interaction_id: null };
    expect(first).toMatchObject({ status: 200, body: { session: { ...session, title: "fix the  tests" } } });
    expect(await heard()).toEqual(first.body.session);
    // The same again changes nothing, and another title is the same session.
    expect((await put(slug, root)).body.session).toEqual(first.body.session);
    const renamed = await put(slug, root, { title: "write them" });
    expect(renamed.body.session).toEqual({ ...first.body.session, title: "write them" });
    expect((await heard()).title).toBe("write them");
    expect((await put(slug, root, { title: null, state: "failed" })).body.session).toMatchObject({
      ...session,
      title: null,
      state: "failed",
    });
    const second = await ask(channelId);
    await put(slug, second, { title: "the next", state: "done" });
    expect(await states(channelId)).toEqual(["done", "failed"]);
    expect(await states(channelId, "?state=failed,working")).toEqual(["failed"]);
    const page = (await ann.get(`/api/channels/${channelId}/sessions?limit=1`)).body;
    expect([page.sessions.length, page.has_more, page.next_offset]).toEqual([1, true, 1]);
    expect(code(await ann.get(`/api/channels/${channelId}/sessions?state=asleep`))).toEqual([400, "invalid_request"]);
  });

  test("wait while a card of the agent is open in the thread", async () => {
    const { slug, channelId, root } = await thread();
    await put(slug, root, { title: "deploy" });
    const { socket } = await scene.joined(slug);
    using _ = socket;
    const heard = hearing(socket);
    const card = {
      components: [{ type: "row", elements: [{ type: "button", action_id: "go", label: "Go" }] }],
      interaction: { kind: "choice", who: { users: ["ann"] } },
    };
    const send = (more: object) =>
      scene.agent.post("/api/agenthub/send", {
        channel_slug: slug,
        agent_name: "Writer",
        message: "May I?",
        ...card,
        ...more,
      });
    for (const place of [{ thread_root_id: root }, { reply_to_id: root }]) {
      const { message_id: id } = (await send(place)).body;
      expect(await heard()).toMatchObject({ state: "waiting", thread_root_id: root, interaction_id: id });
      expect(await states(channelId, "?state=waiting")).toEqual(["waiting"]);
      expect(await states(channelId, "?state=working")).toEqual([]);
      expect((await ann.post(`/api/interactions/${id}/press`, { action_id: "go" })).status).toBe(200);
      expect(await heard()).toMatchObject({ state: "working", title: "deploy", interaction_id: null });
    }
    // A card elsewhere is not of this session.
    await send({});
    await send({ thread_root_id: await ask(channelId) });
    expect(await states(channelId)).toEqual(["working"]);
  });

  test("are gone a minute after the agent's last connection, and return with it", async () => {
    const { slug, channelId, root } = await thread();
    const agent = await server.agent("Wanderer");
    const socket = await TestSocket.open(server.url, agent.credential);
    await put(slug, root, { agent_name: "Wanderer" }, agent);
    const pass = () => sessionPass(server.ctx, true);
    await pass();
    clock.ahead += 300_000;
    await pass();
    expect(await states(channelId)).toEqual(["working"]);
    const watching = await scene.joined(slug);
    using _ = watching.socket;
    const heard = hearing(watching.socket);
    socket.close();
    // The pass after its end notes the agent once more.
    await eventually("the session is gone", async () => {
      await pass();
      clock.ahead += 61_000;
      return (await states(channelId))[0] === "gone";
    });
    expect((await heard()).state).toBe("gone");
    expect(await states(channelId, "?state=gone")).toEqual(["gone"]);
    using back = await TestSocket.open(server.url, agent.credential);
    await pass();
    expect((await heard()).state).toBe("working");
    expect(back.frames.length).toBeGreaterThan(0);
    // One that never held a connection is not away.
    const silent = await thread();
    await put(silent.slug, silent.root);
    clock.ahead += 600_000;
    await pass();
    await pass();
    expect(await states(silent.channelId)).toEqual(["working"]);
  });

  test("of an agent that is paused or without a key are gone at once", async () => {
    const { slug, channelId, root } = await thread();
    for (const end of ["pause", "revoke"]) {
      const agent = await server.agent();
      await put(slug, root, { ...(await named(agent, slug)) }, agent);
      const { db } = server.ctx;
      if (end === "pause") await db.updateTable("agents").set({ paused: 1 }).where("id", "=", agent.agentId).execute();
      else await db.updateTable("api_keys").set({ revoked_at: 1 }).where("agent_id", "=", agent.agentId).execute();
      await sessionPass(server.ctx, true);
      const rows = (await listed(channelId)) as { agent_id: number; state: string }[];
      expect(rows.find(({ agent_id }) => agent_id === agent.agentId)?.state).toBe("gone");
    }
  });

  let names = 0;
  async function named(agent: Client, slug: string) {
    const agent_name = `Worker ${++names}`;
    await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name });
    return { agent_name };
  }

  describe("are refused", () => {
    test("outside of threads, and where the agent may not reply", async () => {
      const { slug, channelId, root } = await thread();
      const other = await thread();
      expect(code(await put(slug, 999_999))).toEqual([404, "message_not_found"]);
      expect(code(await put(slug, other.root))).toEqual([404, "message_not_found"]);
      const reply = await ann.post("/api/messages", { channel_id: channelId, content: "so", thread_root_id: root });
      expect(code(await put(slug, reply.body.message_id))).toEqual([400, "not_a_thread_root"]);
      expect(code(await put("nowhere", root))).toEqual([404, "channel_not_found"]);
      expect(code(await put(slug, root, { state: "waiting" }))).toEqual([400, "invalid_request"]);
      expect(code(await put(slug, root, { title: "x".repeat(201) }))).toEqual([400, "invalid_request"]);
      expect(code(await put(slug, root, {}, ann))).toEqual([401, "missing_api_key"]);
      expect(code(await put(slug, root, { agent_name: "Writer" }, await server.agent("Forger")))).toEqual([
        409,
        "agent_name_taken",
      ]);
      await put(slug, root);
      await ann.put(`/api/messages/${root}/thread`, { is_locked: true });
      expect(code(await put(slug, root, { title: "more" }))).toEqual([403, "thread_locked"]);
      expect((await put(slug, root, { state: "done" })).body.session.state).toBe("done");
      const denied = await thread();
      await put(denied.slug, denied.root);
      await ann.put(`/api/channels/${denied.channelId}`, { agent_policy: "deny" });
      expect(code(await put(denied.slug, denied.root))).toEqual([403, "agents_not_allowed"]);
    });

    test("beyond 100 open ones, until one ends", async () => {
      const { slug, channelId } = await thread();
      const agent = await server.agent("Busy");
      const roots: number[] = [];
      for (let n = 0; n <= OPEN_SESSIONS_MAX; n += 1) roots.push(await ask(channelId, `task ${n}`));
      const begin = (root: number | undefined, state = "working") =>
        put(slug, root ?? 0, { agent_name: "Busy", state }, agent);
      const rest = roots.slice(2);
      for (const root of rest) expect((await begin(root)).status).toBe(200);
      const both = await Promise.all([begin(roots[0]), begin(roots[1])]);
      expect(both.map(code).sort()).toEqual(
        [
          [200, undefined],
          [409, "session_limit_reached"],
        ].sort(),
      );
      expect((await begin(rest[0])).status).toBe(200);
      expect((await begin(rest[0], "done")).status).toBe(200);
      for (const root of roots.slice(0, 2)) expect((await begin(root)).status).toBe(200);
    });
  });

  test("are read by those who may read the channel, and listed over the caller's channels", async () => {
    const open = await thread();
    const hidden = await thread({ is_private: true });
    await put(open.slug, open.root, { title: "in the open" });
    expect((await ann.put(`/api/channels/${hidden.channelId}/members/Writer`, {})).status).toBe(200);
    expect((await put(hidden.slug, hidden.root, { title: "in private" })).status).toBe(200);
    const bob = await server.newUser();
    const at = (id: number) => `/api/channels/${id}/sessions`;
    expect((await server.guest.get(at(open.channelId))).body.sessions.length).toBe(1);
    for (const who of [server.guest, bob, await server.agent("Outsider")])
      expect(code(await who.get(at(hidden.channelId)))).toEqual([404, "channel_not_found"]);
    const titles = async (who: Client) =>
      (await who.get("/api/agents/sessions")).body.sessions.map(({ title }: { title: string }) => title);
    expect((await titles(ann)).slice(0, 2)).toEqual(["in private", "in the open"]);
    expect((await titles(scene.agent)).slice(0, 2)).toEqual(["in private", "in the open"]);
    expect(await titles(bob)).toEqual([]);
    await bob.post("/api/messages", { channel_id: open.channelId, content: "hello" });
    expect(await titles(bob)).toEqual(["in the open"]);
    expect(code(await server.guest.get("/api/agents/sessions"))).toEqual([401, "session_required"]);
    expect((await ann.delete(`/api/channels/${hidden.channelId}/members/Writer`)).status).toBe(200);
    expect(await titles(scene.agent)).not.toContain("in private");
    expect(await states(hidden.channelId)).toEqual(["failed"]);
  });

  test("end with their thread", async () => {
    const { slug, channelId, root } = await thread();
    await put(slug, root);
    expect((await ann.delete(`/api/messages/${root}`)).status).toBe(200);
    expect(await listed(channelId)).toEqual([]);
    expect(code(await put(slug, root, { state: "done" }))).toEqual([409, "message_deleted"]);
  });
});

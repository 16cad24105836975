import { expect, test } from "bun:test";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { APPROVAL, pressCard } from "../support/cards.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { code, STREAMS, streamScene } from "../support/stream-scene.ts";

/** Protocol §12.7: what ends a stream, and the doors beside REST. */
eachDatabase(async (_, open) => {
  const scene = await forAllTests(streamScene(open));

  test("take their turn in slow mode, and their place before the loop guard, when they start", async () => {
    const { server, ann, agent, start, room, begin, append, finish } = scene;
    const slow = await room();
    await ann.put(`/api/channels/${slow.id}`, { slow_mode_seconds: 60 });
    const id = await begin(slow.slug);
    await append(id, 0, "done");
    expect((await finish(id)).status).toBe(201);
    expect(code(await start(slow.slug))).toEqual([429, "slow_mode"]);

    const { slug } = await room();
    const second = await server.agent();
    const say = (who: Client) => who.post("/api/agenthub/send", { channel_slug: slug, message: "and you?" });
    for (const who of [agent, second, agent]) expect((await say(who)).status).toBe(201);
    // The limit is 4, and 2 for each: the second agent's open stream is the fourth message in a row.
    const open = await start(slug, { agent_name: "PlatformAgent" }, second);
    expect(open.status).toBe(201);
    const third = await server.agent();
    const refused = await start(slug, { agent_name: "PlatformAgent" }, third);
    expect([...code(refused), refused.body.retryable]).toEqual([429, "loop_guard_tripped", false]);
    await second.post(`${STREAMS}/${open.body.stream_id}/cancel`);
    const free = await start(slug, { agent_name: "PlatformAgent" }, third);
    expect(free.status).toBe(201);
    await third.post(`${STREAMS}/${free.body.stream_id}/cancel`);
  });

  test("end with a card that asks people; a card that is refused leaves them open", async () => {
    const { server, agent, ann, room, begin, append, finish, messagesIn } = scene;
    const { slug } = await room();
    const id = await begin(slug);
    await append(id, 0, "Three changes. Deploy?");
    const ask = (...users: string[]) => ({ components: APPROVAL, interaction: { kind: "approval", who: { users } } });
    expect(code(await finish(id, { components: [] }))).toEqual([400, "invalid_components"]);
    expect(code(await finish(id, ask("nobody-here")))).toEqual([404, "user_not_found"]);
    expect((await server.guest.get(`${STREAMS}/${id}`)).body.stream.state).toBe("open");
    const { status, body } = await finish(id, ask("ann"));
    expect([status, body.chat_message.stream_id, body.chat_message.components]).toEqual([201, id, APPROVAL]);
    expect(body.chat_message.interaction).toMatchObject({ status: "open", who: { users: ["ann"] } });
    const again = await finish(id, ask("ann"));
    expect(again).toMatchObject({ status: 200, body: { deduplicated: true, message_id: body.message_id } });
    expect(await messagesIn(slug)).toHaveLength(1);
    const pressed = await pressCard(ann, body.chat_message.interaction.interaction_id, "approve");
    expect(pressed.body.interaction).toMatchObject({ status: "decided", result: { action_id: "approve" } });
    const { body: inbox } = await agent.get("/api/agenthub/inbox?kinds=decision");
    expect(inbox.items).toHaveLength(1);
  });

  test("end with the right to write, without a trace", async () => {
    const { server, ann, room, begin, append, messagesIn, joined } = scene;
    const { slug, id: channelId } = await room();
    const { socket } = await joined(slug);
    using _ = socket;
    const id = await begin(slug);
    await append(id, 0, "spam");
    expect((await ann.put(`/api/channels/${channelId}`, { agent_policy: "deny" })).status).toBe(200);
    const { data } = await socket.next(({ event }) => event === "stream:end");
    expect(data).toMatchObject({ stream_id: id, message_id: null, finish_reason: null });
    expect([...code(await append(id, 4, "more")), await messagesIn(slug)]).toEqual([403, "agents_not_allowed", []]);
    const left = await server.ctx.db.selectFrom("streams").select("content").where("id", "=", id).executeTakeFirst();
    expect(left?.content).toBe("");
  });

  test("become a message without their agent: after a minute, when it is paused, when its key is over", async () => {
    const { server, clock, agent, start, room, begin, append, finish, messagesIn } = scene;
    const rooms = await Promise.all([room(), room(), room(), room()]);
    const [quiet, blank, paused, revoked] = rooms.map(({ slug }) => slug) as [string, string, string, string];
    const ids = new Map<string, number>();
    const ended = async (slug: string) =>
      eventually(`the stream in ${slug} has ended`, async () => {
        const { stream } = (await server.guest.get(`${STREAMS}/${ids.get(slug)}`)).body;
        return stream.state !== "open" && stream;
      });
    ids.set(quiet, await begin(quiet));
    await append(ids.get(quiet) ?? 0, 0, "half an ans");
    ids.set(blank, await begin(blank));
    clock.ahead += 61_000;
    expect(await ended(quiet)).toMatchObject({ state: "finished", finish_reason: "interrupted" });
    expect(await ended(blank)).toMatchObject({ state: "cancelled", finish_reason: null });
    expect(await messagesIn(quiet)).toMatchObject([{ content: "half an ans", stream_id: ids.get(quiet) }]);
    const late = await finish(ids.get(quiet) ?? 0, { message: "the whole answer" });
    expect(late).toMatchObject({ status: 200, body: { finish_reason: "interrupted", deduplicated: true } });

    const boss = await staff(server, "boss", 2);
    const victims = [await server.agent("Paused"), await server.agent("Revoked")] as const;
    for (const [at, slug] of [paused, revoked].entries()) {
      const who = victims[at] ?? agent;
      const { body } = await start(slug, { agent_name: at === 0 ? "Paused" : "Revoked" }, who);
      ids.set(slug, body.stream_id);
      expect((await append(body.stream_id, 0, "cut", who)).status).toBe(200);
    }
    expect((await boss.put(`/api/agents/${victims[0].agentId}`, { paused: true })).status).toBe(200);
    await revokeKey(server.ctx, victims[1].keyId);
    for (const slug of [paused, revoked]) {
      expect(await ended(slug)).toMatchObject({ state: "finished", finish_reason: "interrupted" });
      expect(await messagesIn(slug)).toMatchObject([{ content: "cut" }]);
    }
  });

  test("are written over the socket as over REST, by agents only", async () => {
    const { server, ann, agent, key, room, finish } = scene;
    const { slug } = await room();
    const socket = await TestSocket.open(server.url, agent.credential);
    using _ = socket;
    const started = await socket.command("stream:start", { channel_slug: slug, client_msg_id: key() });
    const { stream_id, agent_name } = started.data;
    expect(agent_name).toBe("Writer");
    expect((await socket.command("stream:append", { stream_id, offset: 0, delta: "by socket" })).data.length).toBe(9);
    const gap = await socket.command("stream:append", { stream_id, offset: 10, delta: "x" });
    expect(gap.data).toMatchObject({ code: "offset_mismatch", details: { length: 9 } });
    const done = await socket.command("stream:finish", { stream_id });
    expect(done.data).toMatchObject({ stream_id, finish_reason: "finished", chat_message: { content: "by socket" } });
    expect((await finish(stream_id)).body.message_id).toBe(done.data.message_id);
    expect((await socket.command("stream:cancel", { stream_id })).data.code).toBe("stream_over");
    const user = await TestSocket.open(server.url, ann.credential);
    using __ = user;
    const refused = await user.command("stream:start", { channel_slug: slug, client_msg_id: key() });
    expect(refused.data.code).toBe("missing_api_key");
  });

  test("leave event streams and waiting agents alone until they are messages", async () => {
    const { server, key, room, begin, append, finish } = scene;
    const { slug } = await room();
    const reader = await server.agent();
    const login = { channel_slug: slug, agent_name: `Reader-${key()}` };
    expect((await reader.post("/api/agenthub/login", login)).status).toBe(200);
    const response = await fetch(`${server.url}/api/agenthub/events`, { headers: reader.credential });
    const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    const id = await begin(slug);
    await append(id, 0, "soon");
    await finish(id);
    while (!seen.includes("message:new")) seen += (await text?.read())?.value ?? "";
    await text?.cancel();
    expect(seen).not.toContain("stream:");
  });
});

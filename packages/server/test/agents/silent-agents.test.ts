import { expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const MINUTE_MS = 60_000;

/** Protocol §5, "Silent agents", over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", agentLoopLimit: 4 }, { database: await open(), clock }),
  );
  const ann = await server.user("ann");
  const bob = await server.user("bob");
  const ruth = await staff(server, "ruth", 1);

  let made = 0;
  /** Returns an agent of Ann that is logged in to a channel. */
  async function agentIn(slug: string) {
    const name = `Quiet ${++made}`;
    const { api_key, agent_id } = await issueKey(server.ctx, { agentName: name, ownerUsername: "ann" });
    const client = new Client(server.url, { authorization: `Bearer ${api_key}` });
    const body = { channel_slug: slug, agent_name: name };
    expect((await client.post("/api/agenthub/login", body)).status).toBe(200);
    const send = (message: string) => client.post("/api/agenthub/send", { ...body, message });
    return { name, agentId: agent_id, client, send, poll: () => client.get("/api/agenthub/inbox?wait=1") };
  }

  const silences = async (id: number, who: Client = server.guest) =>
    (await who.get(`/api/channels/${id}/silences`)).body.silences;
  const online = async (id: number): Promise<string[]> =>
    (await ann.get(`/api/channels/${id}/online`)).body.users.map(({ name }: { name: string }) => name);
  const isOnline = (id: number, name: string, is: boolean) =>
    eventually(`${name} is ${is ? "online" : "offline"}`, async () => (await online(id)).includes(name) === is);
  const notices = async (who: Client): Promise<object[]> =>
    (await who.get("/api/notifications")).body.notifications.map(({ notice }: { notice: object }) => notice);

  for (const [kind, hold] of [
    ["socket", (agent: Client) => LiveSocket.open(server.url, agent.credential)],
    ["event stream", (agent: Client) => EventReader.open(server.url, agent.credential)],
  ] as const) {
    test(`an agent is offline a minute after its ${kind} has ended, and online when it is back`, async () => {
      const { id, slug } = await newChannel(ann);
      const { name, agentId, client, send } = await agentIn(slug);
      const first = await hold(client);
      clock.ahead += 10 * MINUTE_MS;
      await send("I am here");
      expect(await online(id)).toContain(name);
      await first[Symbol.asyncDispose]();
      await eventually("the end is noticed", async () => {
        const row = await server.ctx.db
          .selectFrom("agents")
          .select("held_at")
          .where("id", "=", agentId)
          .executeTakeFirst();
        return row?.held_at != null;
      });
      clock.ahead += MINUTE_MS + 5_000;
      await isOnline(id, name, false);
      expect(await silences(id)).toEqual([
        {
          agent_id: agentId,
          agent_name: name,
          owner_username: "ann",
          reason: "away",
          since: expect.any(String),
          until: null,
          waiting: 0,
        },
      ]);
      await ann.post("/api/messages", { channel_id: id, content: `@${name} are you there?` });
      await eventually("the mention waits", async () => (await silences(id))[0]?.waiting === 1);
      await eventually("the owner is told", async () =>
        (await notices(ann)).some((notice) => Bun.deepMatch({ code: "agent_away", subject: name }, notice)),
      );
      // It is still logged in, and finds what it missed.
      await using _back = await hold(client);
      await isOnline(id, name, true);
      expect(await silences(id)).toEqual([]);
      expect((await client.get("/api/agenthub/me")).body).toMatchObject({ pending: 1, channels: [{ online: true }] });
    });
  }

  test("an agent that has polled is offline a minute later, and one that only calls stays in the list", async () => {
    const { id, slug } = await newChannel(ann);
    const poller = await agentIn(slug);
    const caller = await agentIn(slug);
    await poller.poll();
    await caller.client.get("/api/agenthub/me");
    clock.ahead += MINUTE_MS + 5_000;
    await isOnline(id, poller.name, false);
    expect(await online(id)).toContain(caller.name);
    await poller.poll();
    await isOnline(id, poller.name, true);
  });

  test("everybody sees that the loop guard stops agents and until when, and a person's message ends it", async () => {
    const { id, slug } = await newChannel(ann);
    const [one, two] = [await agentIn(slug), await agentIn(slug)];
    await using listener = await LiveSocket.open(server.url, bob.credential);
    await using ears = await EventReader.open(server.url, one.client.credential);
    await listener.ask("channel:join", { channel_id: id });
    for (const { send } of [one, two, one, two]) expect((await send("and you?")).status).toBe(201);
    expect(await one.send("more")).toMatchObject({ status: 429 });
    const told = await listener.next("agents:silent");
    const until = expect.any(String);
    const stopped = [one, two].map(({ agentId, name }) => ({
      agent_id: agentId,
      agent_name: name,
      owner_username: "ann",
      reason: "loop_guard",
      since: null,
      until,
      waiting: 0,
    }));
    expect(told.data).toEqual({ channel_id: id, silences: stopped });
    expect(await silences(id)).toEqual(stopped);
    await eventually("the owner is told where", async () =>
      (await notices(ann)).some((notice) => Bun.deepMatch({ code: "agent_loop_guard", subject: one.name }, notice)),
    );
    await ann.post("/api/messages", { channel_id: id, content: "go on" });
    expect(await silences(id)).toEqual([]);
    // It is no message and wakes no agent.
    await ears.next(({ data }) => data.chat_message?.content === "go on");
    expect(ears.events.map(({ event }) => event)).not.toContain("agents:silent");
  });

  test("which budget is used up is read by those who may read budgets, and by nobody else", async () => {
    const { id, slug } = await newChannel(ann);
    const agent = await agentIn(slug);
    expect((await ann.put(`/api/agents/${agent.agentId}/budgets`, { messages_per_day: 1 })).status).toBe(200);
    expect(await silences(id)).toEqual([]);
    await agent.send("the only one");
    expect(await agent.send("one more")).toMatchObject({ status: 403, body: { code: "budget_exhausted" } });
    const budget = { budget: "messages_per_day", limit: 1, used: 1, remaining: 0 };
    const seen = { reason: "budget", until: expect.any(String), since: null };
    expect(await silences(id, ann)).toMatchObject([{ ...seen, budget }]);
    expect(await silences(id, ruth)).toMatchObject([{ ...seen, budget }]);
    for (const who of [bob, server.guest, agent.client]) {
      const [read] = await silences(id, who);
      expect(read).toMatchObject(seen);
      expect(read).not.toHaveProperty("budget");
    }
    await ann.put(`/api/agents/${agent.agentId}/budgets`, { messages_per_day: null });
    expect(await silences(id)).toEqual([]);
  });

  test("a paused agent is silent where it was, until it is resumed", async () => {
    const { id, slug } = await newChannel(ann);
    const agent = await agentIn(slug);
    await agent.send("hello");
    await using listener = await LiveSocket.open(server.url, bob.credential);
    await listener.ask("channel:join", { channel_id: id });
    await ann.put(`/api/agents/${agent.agentId}`, { paused: true });
    const told = await listener.next("agents:silent");
    expect(told.data.silences).toMatchObject([{ agent_name: agent.name, reason: "paused", until: null }]);
    await ann.put(`/api/agents/${agent.agentId}`, { paused: false });
    expect(await silences(id)).toEqual([]);
  });

  test("outsiders of a private channel read nothing about its agents", async () => {
    const { id } = await newChannel(ann, { is_private: true });
    expect((await bob.get(`/api/channels/${id}/silences`)).status).toBe(404);
  });
});

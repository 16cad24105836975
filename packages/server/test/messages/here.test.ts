import { expect, test } from "bun:test";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { datedClock, stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forward, forwarded } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, type Named, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** `@here` (protocol §5) over real HTTP and sockets. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }, { database: await open(), clock }));
  const people = (count: number): Promise<Named[]> =>
    Promise.all(Array.from({ length: count }, () => server.newUser()));
  /** Opens a socket of a user in a channel, so that they are online there. */
  const online = async (user: Client, channel_id: number): Promise<TestSocket> => {
    const socket = await TestSocket.open(server.url, { cookie: user.credential.cookie ?? "" });
    const joined = await socket.command("channel:join", { channel_id });
    expect(joined.data.success).toBe(true);
    return socket;
  };
  const settled = () => notificationsConsumer(server.ctx).flush();
  const mentionsOf = async (user: Client): Promise<number[]> => {
    const { notifications } = (await user.get("/api/notifications")).body;
    return notifications.flatMap(({ kind, message_id }: { kind: string; message_id: number }) =>
      kind === "mention" ? [message_id] : [],
    );
  };
  const of = (user: Client, messageId: number) =>
    eventually("the notification", async () => (await mentionsOf(user)).includes(messageId));

  test("it reaches the members who are online in the channel, on any device, and nobody else", async () => {
    const [ann, ben, cleo, dan, eve] = (await people(5)) as [Named, Named, Named, Named, Named];
    const { id } = await newChannel(ann);
    for (const user of [ben, cleo, dan]) await user.post(`/api/channels/${id}/join`);
    await dan.put("/api/notifications/settings", { channels: { [id]: { level: "none" } } });
    using _sender = await online(ann, id);
    using _one = await online(ben, id);
    using _two = await online(ben, id);
    using _muted = await online(dan, id);
    // Somebody who is connected, and elsewhere.
    using elsewhere = await TestSocket.open(server.url, { cookie: cleo.credential.cookie ?? "" });
    const said = await say(ann, id, "Lunch, @here?");
    expect(said.chat_message.mentions).toEqual([{ type: "here", name: "here", offset: 7, length: 5 }]);
    await of(ben, said.message_id);
    await settled();
    for (const user of [ann, cleo, dan, eve]) expect(await mentionsOf(user)).toEqual([]);
    expect(await mentionsOf(ben)).toEqual([said.message_id]);
    expect(elsewhere.frames.filter(({ event }) => event === "notification:new")).toEqual([]);
    const sidebar = async (user: Client) => (await user.get("/api/sidebar")).body.mentions[id];
    expect(await sidebar(ben)).toEqual([said.seq]);
    expect(await sidebar(cleo)).toBeUndefined();
    // A user who comes online later was not called.
    using _late = await online(cleo, id);
    await settled();
    expect(await mentionsOf(cleo)).toEqual([]);
  });

  test("agents are not woken by it, and an agent's or a webhook's is plain text", async () => {
    const [ann, ben] = (await people(2)) as [Named, Named];
    const { id, slug } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    using _ben = await online(ben, id);
    const scout = await server.agent();
    await scout.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Ranger" });
    const called = await say(ann, id, "@here and in （@HERE）");
    expect(called.chat_message.mentions).toHaveLength(2);
    await of(ben, called.message_id);
    expect((await scout.get("/api/agenthub/inbox")).body.items).toEqual([]);
    const sent = await scout.post("/api/agenthub/send", {
      channel_slug: slug,
      message: "@here, look",
      agent_name: "Ranger",
    });
    expect([sent.status, sent.body.chat_message?.mentions ?? []]).toEqual([sent.status, []]);
    const { pathname } = new URL(
      (await ann.post(`/api/channels/${id}/incoming-webhooks`, { name: "Builds" })).body.url,
    );
    expect((await server.guest.post(pathname, { message: "@here is a build" })).status).toBe(201);
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    expect(messages.slice(-2).map(({ mentions }: { mentions: object[] }) => mentions)).toEqual([[], []]);
    await settled();
    expect(await mentionsOf(ben)).toEqual([called.message_id]);
  });

  test.each(["`@here` in code", "> @here in a quote", "me@here.example", "@hereby", "https://x.example/@here"])(
    "it calls nobody in %s",
    async (text) => {
      const [ann, ben] = (await people(2)) as [Named, Named];
      const { id } = await newChannel(ann, { here_by: "members" });
      await ben.post(`/api/channels/${id}/join`);
      using _ben = await online(ben, id);
      const { chat_message } = await say(ann, id, text);
      expect(chat_message.mentions.filter(({ type, quoted }) => type === "here" && quoted !== true)).toEqual([]);
      await settled();
      expect(await mentionsOf(ben)).toEqual([]);
    },
  );

  test("an edit calls nobody, and takes back what its text no longer says", async () => {
    const [ann, ben, cleo] = (await people(3)) as [Named, Named, Named];
    const { id } = await newChannel(ann);
    for (const user of [ben, cleo]) await user.post(`/api/channels/${id}/join`);
    using _ben = await online(ben, id);
    const plain = await say(ann, id, "quiet");
    await ann.put(`/api/messages/${plain.message_id}`, { content: "quiet, @here" });
    const loud = await say(ann, id, "@here one");
    await of(ben, loud.message_id);
    using _cleo = await online(cleo, id);
    await ann.put(`/api/messages/${loud.message_id}`, { content: "@here two" });
    await settled();
    expect([await mentionsOf(ben), await mentionsOf(cleo)]).toEqual([[loud.message_id], []]);
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    expect(messages.map(({ mentions }: { mentions: object[] }) => mentions.length)).toEqual([0, 1]);
    await ann.put(`/api/messages/${loud.message_id}`, { content: "nobody" });
    await settled();
    expect(await mentionsOf(ben)).toEqual([]);
  });

  test("an edit that leaves the call and takes out a name withdraws the mention of that person alone", async () => {
    const [ann, ben, cleo, dan] = (await people(4)) as [Named, Named, Named, Named];
    const { id } = await newChannel(ann);
    for (const user of [ben, cleo, dan]) await user.post(`/api/channels/${id}/join`);
    using _cleo = await online(cleo, id);
    const text = `@here @${ben.username} @${dan.username}`;
    const { message_id } = await say(ann, id, text);
    for (const user of [ben, cleo, dan]) await of(user, message_id);
    using bens = await TestSocket.open(server.url, { cookie: ben.credential.cookie ?? "" });
    const edit = (content: string) => ann.put(`/api/messages/${message_id}`, { content });
    expect((await edit(`@here @${dan.username}`)).status).toBe(200);
    await bens.next(({ event }) => event === "notification:read");
    await settled();
    expect(await mentionsOf(ben)).toEqual([]);
    for (const user of [cleo, dan]) expect(await mentionsOf(user)).toEqual([message_id]);
    // A name in a quote calls nobody.
    await edit(`${text}\n> @${dan.username}`);
    await of(ben, message_id);
    await edit(`@here @${ben.username}\n> @${dan.username}`);
    await settled();
    expect([await mentionsOf(ben), await mentionsOf(dan)]).toEqual([[message_id], []]);
  });

  test("where only admins may call, a member's message is refused, and changes nothing", async () => {
    const [ann, ben] = (await people(2)) as [Named, Named];
    const { id } = await newChannel(ann, { here_by: "admins" });
    await ben.post(`/api/channels/${id}/join`);
    expect((await ben.get(`/api/channels/${id}`)).body.channel.here_by).toBe("admins");
    const send = (user: Client, more: object = {}) =>
      user.post("/api/messages", { channel_id: id, content: "@here", ...more });
    expectError(await send(ben), 403, "here_not_allowed");
    const later = { send_at: new Date(clock.now() + 60_000).toISOString() };
    expectError(
      await ben.post("/api/scheduled", { channel_id: id, content: "@here", ...later }),
      403,
      "here_not_allowed",
    );
    expectError(
      await ben.post("/api/messages/send-many", {
        channel_id: id,
        messages: [{ content: "one" }, { content: "@here" }],
      }),
      403,
      "here_not_allowed",
    );
    const { id: own } = await newChannel(ben);
    const source = await sayId(ben, own, "@here, all of you");
    expectError(await forward(ben, source, { channel_id: id, comment: "@here" }), 403, "here_not_allowed");
    expect((await ann.get(`/api/messages?channel_id=${id}`)).body.messages).toEqual([]);
    // The copied text calls nobody.
    expect((await forwarded(ben, source, id)).mentions).toEqual([]);
    expect((await ben.post("/api/messages", { channel_id: id, content: "`@here`" })).status).toBe(201);
    expect((await send(ann)).status).toBe(201);
    expect((await ann.put(`/api/channels/${id}/members/${ben.username}`, { role: "admin" })).status).toBe(200);
    expect((await send(ben)).status).toBe(201);
    const boss = await staff(server, `boss-${ben.username}`, 1);
    await boss.post(`/api/channels/${id}/join`);
    expect((await send(boss)).status).toBe(201);
    expectError(await ann.put(`/api/channels/${id}`, { here_by: "everyone" }), 400, "invalid_request");
  });

  test("in a direct conversation it is plain text", async () => {
    const [ann, ben] = (await people(2)) as [Named, Named];
    const { channel_id } = (await ann.post("/api/direct", { username: ben.username })).body;
    expect((await say(ann, channel_id, "@here")).chat_message.mentions).toEqual([]);
  });

  test("users who have blocked the sender, and those who only read, are not reached", async () => {
    const [ann, ben, guest] = (await people(3)) as [Named, Named, Named];
    const { id } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    expect((await ben.put(`/api/blocks/${ann.username}`)).status).toBeLessThan(300);
    using _ben = await online(ben, id);
    using socket = await TestSocket.open(server.url, { cookie: guest.credential.cookie ?? "" });
    await socket.command("channel:listen", { channel_id: id });
    await say(ann, id, "@here");
    await settled();
    expect([await mentionsOf(ben), await mentionsOf(guest)]).toEqual([[], []]);
  });

  test.each(["here", "HERE", "Here"])("nobody registers the name %s", async (username) => {
    const answer = await server.guest.post("/api/auth/register", { username, password: "correct horse battery" });
    expectError(answer, 400, "invalid_username");
  });

  test("neither an agent nor a webhook nor a display name is called so", async () => {
    const ann = await server.newUser();
    const { id, slug } = await newChannel(ann);
    const scout = await server.agent();
    const named = await scout.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Here" });
    expectError(named, 400, "invalid_agent_name");
    expect((await ann.put(`/api/user/${ann.username}`, { display_name: "Here" })).status).toBe(400);
    expect((await ann.post(`/api/channels/${id}/incoming-webhooks`, { name: "here" })).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  test("a person calls three times a minute, a channel ten times an hour, and a repeated send takes nothing", async () => {
    await using strict = await startTestServer(
      { rateLimits: "on", rateFactor: 1 },
      { database: await open(), clock: stillClock() },
    );
    const callers = await Promise.all(Array.from({ length: 5 }, () => strict.newUser()));
    const [ann] = callers as [Named];
    const { id } = await newChannel(ann);
    for (const user of callers) await user.post(`/api/channels/${id}/join`);
    const send = (user: Client, key?: string) =>
      user.post("/api/messages", { channel_id: id, content: "@here", ...(key ? { client_msg_id: key } : {}) });
    for (const n of [1, 2, 3]) expect((await send(ann, `call-${n}`)).status).toBe(201);
    const refused = await send(ann);
    expectError(refused, 429, "here_rate_limited");
    expect(refused.body.retry_after).toBeGreaterThan(0);
    // A retry finds its message, whatever the rate says.
    expect((await send(ann, "call-3")).body.deduplicated).toBe(true);
    expect((await ann.post("/api/messages", { channel_id: id, content: "and no call" })).status).toBe(201);
    const flood = await Promise.all(callers.slice(1).flatMap((user) => [1, 2, 3].map(() => send(user))));
    const statuses = flood.map(({ status }) => status);
    // Three of them were ann's.
    expect([
      statuses.filter((status) => status === 201).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([7, 5]);
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}&limit=50`)).body;
    expect(messages.filter(({ content }: { content: string }) => content === "@here")).toHaveLength(10);
  });
});

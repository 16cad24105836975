import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { announce } from "../src/realtime/control.ts";
import { stillClock } from "./support/clock.ts";
import { type Frame, LiveSocket } from "./support/live-socket.ts";
import { RawSocket } from "./support/raw-socket.ts";
import { type Client, eventually, PASSWORD, startTestServer, type TestServer } from "./support/test-server.ts";

let server: TestServer;
let names = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A new user with a name of his own. */
async function newUser(on = server): Promise<Client & { name: string }> {
  const name = `user${++names}`;
  return Object.assign(await on.user(name), { name });
}

const open = (who: Client | null = null, on = server) => LiveSocket.open(on.url, who?.credential ?? {});

/** A new channel of this user. */
async function newChannel(owner: Client, settings: object = {}): Promise<{ id: number; slug: string }> {
  const { status, body } = await owner.post("/api/channels", { name: `Channel ${++names}`, ...settings });
  expect(status).toBe(201);
  return { id: body.channel_id, slug: body.channel_slug };
}

const code = (frame: Frame): string => `${frame.event} ${frame.data.code}`;

describe("handshake", () => {
  test("the first frame says which data this is and who one is", async () => {
    const ada = await newUser();
    await using user = await open(ada);
    await using guest = await open();
    await using stale = await LiveSocket.open(server.url, { cookie: `parley_session=${"x".repeat(43)}` });
    const { epoch } = server.ctx;
    expect(user.frames[0]).toEqual({
      event: "session:ready",
      data: { epoch, user: { username: ada.name, admin_level: null } },
    });
    expect(guest.frames[0]?.data).toEqual({ epoch, user: null });
    expect(stale.frames[0]?.data).toEqual({ epoch, user: null });
  });

  test("a foreign page is refused, one's own and no browser are not", async () => {
    const foreign = await fetchUpgrade({ origin: "https://evil.example" });
    expect([foreign.status, foreign.body.code]).toEqual([403, "cross_site"]);
    expect((await fetchUpgrade({ "sec-fetch-site": "cross-site" })).body.code).toBe("cross_site");
    await using own = await LiveSocket.open(server.url, { origin: server.url });
    expect(own.frames).toHaveLength(1);
  });

  test("a plain GET is told to open a WebSocket", async () => {
    const { status, body, headers } = await server.guest.get("/api/ws");
    expect([status, body.code, headers.get("upgrade")]).toEqual([400, "invalid_request", "websocket"]);
  });

  test("a user has 10 sockets, and place for a new one when one closes", async () => {
    const ada = await newUser();
    await using sockets = new AsyncDisposableStack();
    for (let i = 0; i < 10; i++) sockets.use(await open(ada));
    const last = await open(await newUser());
    expect((await last.ask("auth:login", { username: ada.name, password: PASSWORD })).data.code).toBe(
      "too_many_sockets",
    );
    const refused = await fetchUpgrade(ada.credential);
    expect([refused.status, refused.body.code, refused.headers.has("retry-after")]).toEqual([
      429,
      "too_many_sockets",
      true,
    ]);
    await last[Symbol.asyncDispose]();
    const { body } = await ada.get("/api/auth/sessions");
    expect(body.sessions).toHaveLength(1);
    await sockets.disposeAsync();
    await eventually("a free place", async () => (await fetchUpgrade(ada.credential)).status !== 429);
  });

  test("an address has as many sockets as configured, however they race", async () => {
    await using small = await startTestServer({ socketsPerAddress: 3 });
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => RawSocket.open(small.url)));
    const heads = answers.map((answer) => (answer.status === "fulfilled" ? answer.value.head.split(" ")[1] : "failed"));
    for (const answer of answers) if (answer.status === "fulfilled") answer.value[Symbol.dispose]();
    expect(heads.toSorted()).toEqual([...Array(3).fill("101"), ...Array(9).fill("429")]);
  });

  /** What a WebSocket client cannot show: the refusal's body. */
  async function fetchUpgrade(headers: Record<string, string>) {
    using raw = await RawSocket.open(server.url, headers);
    await eventually("the body", () => raw.isClosed || raw.head.includes(" 101 ") || raw.received.includes("}"));
    const status = Number(raw.head.split(" ")[1]);
    const body = raw.received.subarray(raw.received.indexOf("\r\n\r\n") + 4).toString();
    const lines = raw.head.split("\r\n").slice(1);
    const pairs = lines.map((line) => line.split(": ", 2) as [string, string]);
    return { status, headers: new Headers(pairs), body: status === 101 ? null : JSON.parse(body) };
  }
});

describe("channel:join and channel:leave", () => {
  test("the ack has the channel, the place in it and who is online", async () => {
    const ada = await newUser();
    const { id, slug } = await newChannel(ada);
    await using socket = await open(ada);
    const { event, data } = await socket.ask("channel:join", { channel_slug: slug });
    expect(event).toBe("ack");
    expect(data).toMatchObject({
      success: true,
      my_role: "owner",
      last_seq: 0,
      epoch: server.ctx.epoch,
      count: 1,
      guest_count: 0,
    });
    expect(data.channel).toMatchObject({ id, channel_slug: slug, my_role: "owner", online_count: 1, last_seq: 0 });
    expect(data.users).toEqual([{ kind: "user", name: ada.name, honor_level: 0, since: expect.any(String) }]);
    expect(Object.keys(data)).not.toContain("recovered");
  });

  test("guests are counted and not listed; a user on two sockets is listed once", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using guest = await open();
    await using first = await open(ada);
    await using second = await open(ada);
    expect((await guest.ask("channel:join", { channel_id: id })).data).toMatchObject({
      count: 0,
      guest_count: 1,
      my_role: null,
    });
    await first.ask("channel:join", { channel_id: id });
    expect((await second.ask("channel:join", { channel_id: id })).data).toMatchObject({ count: 1, guest_count: 1 });
    await second.ask("channel:join", { channel_id: id });
    expect((await second.ask("channel:leave", { channel_id: id })).data).toEqual({ success: true, channel_id: id });
    const { body } = await ada.get(`/api/channels/${id}/online`);
    expect(body).toMatchObject({ count: 1, guest_count: 1 });
  });

  test("private channels: hidden, or opened by the password, which makes a member", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const hidden = await newChannel(ada, { is_private: true });
    const closed = await newChannel(ada, { is_private: true, password: "open sesame" });
    await using guest = await open();
    await using socket = await open(bob);
    expect(code(await socket.ask("channel:join", { channel_id: hidden.id }))).toBe("error channel_not_found");
    expect(code(await guest.ask("channel:join", { channel_id: closed.id }))).toBe("error password_required");
    expect(code(await socket.ask("channel:join", { channel_slug: closed.slug }))).toBe("error password_required");
    expect(code(await socket.ask("channel:join", { channel_id: closed.id, password: "no" }))).toBe(
      "error wrong_password",
    );
    const joined = await socket.ask("channel:join", { channel_id: closed.id, password: "open sesame" });
    expect(joined.data.my_role).toBe("member");
    expect((await bob.get(`/api/messages?channel_id=${closed.id}`)).status).toBe(200);
  });

  test("channels that are not named, not there or not joined", async () => {
    await using socket = await open();
    expect(code(await socket.ask("channel:join", {}))).toBe("error channel_id_required");
    expect(code(await socket.ask("channel:join", { channel_slug: "nowhere" }))).toBe("error channel_not_found");
    expect(code(await socket.ask("channel:join", { channel_id: -1 }))).toBe("error invalid_request");
    expect(code(await socket.ask("channel:leave", { channel_slug: "general" }))).toBe("error channel_not_found");
  });

  test("after channel:leave nothing of the channel comes", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using socket = await open(ada);
    await socket.ask("channel:join", { channel_id: id });
    await ada.post("/api/messages", { channel_id: id, content: "heard" });
    await socket.next("message:new");
    await socket.ask("channel:leave", { channel_id: id });
    await ada.post("/api/messages", { channel_id: id, content: "unheard" });
    await socket.settle();
    expect(socket.seqs).toEqual([1]);
  });

  test("where guests may not read they may connect and log in, not join", async () => {
    await using closed = await startTestServer({ guestRead: false });
    const ada = await newUser(closed);
    await using socket = await open(null, closed);
    expect(code(await socket.ask("channel:join", { channel_slug: "general" }))).toBe("error session_required");
    await socket.ask("auth:login", { username: ada.name, password: PASSWORD });
    expect((await socket.ask("channel:join", { channel_slug: "general" })).event).toBe("ack");
  });

  test("a socket has 200 channels", async () => {
    await using socket = await open();
    const ids: number[] = [];
    while (ids.length < 201) {
      const owner = await newUser();
      for (let i = 0; i < 50 && ids.length < 201; i++) ids.push((await newChannel(owner)).id);
    }
    const refs = ids.map((channel_id) => socket.tell("channel:join", { channel_id }));
    const last = await socket.answer(refs.at(-1) ?? 0);
    expect(code(last)).toBe("error too_many_channels");
    expect(socket.all("ack")).toHaveLength(200);
    await socket.ask("channel:leave", { channel_id: ids[0] });
    expect((await socket.ask("channel:join", { channel_id: ids[200] })).event).toBe("ack");
  });
});

describe("messages", () => {
  test("message:send answers like its REST twin and reaches everyone, the sender too", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id, slug } = await newChannel(ada);
    await using sender = await open(ada);
    await using reader = await open(bob);
    await using stranger = await open(bob);
    await sender.ask("channel:join", { channel_id: id });
    await reader.ask("channel:join", { channel_id: id });
    const { data } = await sender.ask("message:send", {
      channel_slug: slug,
      content: "Grüße ☕ \u0007 <b>",
      client_msg_id: "one",
    });
    expect(data).toMatchObject({ success: true, seq: 1, deduplicated: false });
    const twin = await ada.post("/api/messages", {
      channel_id: id,
      content: "Grüße ☕ \u0007 <b>",
      client_msg_id: "one",
    });
    expect({ ...twin.body, deduplicated: false }).toEqual(data);
    const pushed = { event: "message:new", data: { channel_id: id, seq: 1, chat_message: data.chat_message } };
    expect(await sender.next("message:new")).toEqual(pushed);
    expect(await reader.next("message:new")).toEqual(pushed);
    const again = await sender.ask("message:send", {
      channel_slug: slug,
      content: "Grüße ☕ \u0007 <b>",
      client_msg_id: "one",
    });
    expect(again.data).toEqual({ ...data, deduplicated: true });
    await stranger.settle();
    expect(stranger.frames.map(({ event }) => event)).toEqual(["session:ready", "ack"]);
  });

  test("messages of one socket take effect in the order of its frames, whatever they have to look up", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    const first = await ada.post("/api/messages", { channel_id: id, content: "first" });
    await using socket = await open(ada);
    await socket.ask("channel:join", { channel_id: id });
    const contents = Array.from({ length: 60 }, (_, i) => `${i}`);
    for (const [i, content] of contents.entries()) {
      const reply = i % 3 === 0 ? { reply_to_id: first.body.message_id } : {};
      socket.tell("message:send", {
        channel_id: id,
        content: i % 5 === 0 ? `${content} @${ada.name}` : content,
        ...reply,
      });
    }
    await eventually("60 acks", () => socket.all("ack").length === 61);
    const heard = socket.all("message:new").map(({ data }) => Number.parseInt(data.chat_message.content, 10));
    expect(heard).toEqual(contents.map(Number));
    expect(
      socket
        .all("ack")
        .slice(1)
        .map(({ data }) => data.seq),
    ).toEqual(contents.map((_, i) => i + 2));
  });

  test("message:edit and message:delete", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada);
    await using socket = await open(ada);
    await using other = await open(bob);
    await other.ask("channel:join", { channel_id: id });
    const { data } = await socket.ask("message:send", { channel_id: id, content: "draft" });
    const message_id = data.message_id;
    const edited = await socket.ask("message:edit", { message_id, content: "final" });
    expect(edited.data).toMatchObject({ success: true, chat_message: { id: message_id, content: "final" } });
    expect((await other.next("message:update")).data).toMatchObject({
      channel_id: id,
      seq: 2,
      chat_message: { content: "final" },
    });
    expect(code(await other.ask("message:edit", { message_id, content: "mine" }))).toBe("error forbidden");
    expect(code(await other.ask("message:delete", { message_id }))).toBe("error forbidden");
    expect((await socket.ask("message:delete", { message_id })).data).toMatchObject({ success: true, message_id });
    expect((await other.next("message:delete")).data).toMatchObject({ channel_id: id, seq: 3, message_id });
    expect(code(await socket.ask("message:edit", { message_id, content: "again" }))).toBe("error message_deleted");
    expect(code(await socket.ask("message:delete", { message_id: 999_999 }))).toBe("error message_not_found");
    expect(code(await socket.ask("message:delete", { message_id: "x" }))).toBe("error invalid_id");
    expect(JSON.stringify(other.all("message:delete"))).not.toContain("final");
  });

  test("guests write nothing, and are told so before their data is looked at", async () => {
    await using guest = await open();
    await guest.ask("channel:join", { channel_slug: "general" });
    for (const event of ["message:send", "message:edit", "message:delete", "typing:start", "typing:stop"]) {
      expect(code(await guest.ask(event, { content: 1 }))).toBe("error session_required");
    }
  });

  test("pins and settings come as events; a deletion ends the subscription", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using socket = await open();
    await socket.ask("channel:join", { channel_id: id });
    const { body } = await ada.post("/api/messages", { channel_id: id, content: "pin me" });
    await ada.post(`/api/messages/${body.message_id}/pin`);
    expect((await socket.next("message:pin")).data).toMatchObject({
      channel_id: id,
      seq: 2,
      message_id: body.message_id,
      is_pinned: true,
    });
    await ada.post(`/api/messages/${body.message_id}/unpin`);
    expect((await socket.next("message:unpin")).data).toMatchObject({ seq: 3, is_pinned: false, pinned_at: null });
    await ada.put(`/api/channels/${id}`, { topic: "news" });
    expect((await socket.next("channel:update")).data).toMatchObject({
      channel_id: id,
      seq: 4,
      channel: { topic: "news" },
    });
    await ada.delete(`/api/channels/${id}`);
    expect((await socket.next("channel:deleted")).data).toEqual({ channel_id: id, seq: 5 });
    expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "deleted" });
    expect(socket.seqs).toEqual([1, 2, 3, 4, 5]);
  });

  test("who is mentioned hears of it on every socket, subscribed or not", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada);
    await using socket = await open(bob);
    const { body } = await ada.post("/api/messages", { channel_id: id, content: `hello @${bob.name}` });
    expect((await socket.next("mention:new")).data).toEqual({ channel_id: id, chat_message: body.chat_message });
  });

  test("who may not read a private channel does not hear that he is mentioned there", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada, { is_private: true, password: "open sesame" });
    await using socket = await open(bob);
    const text = { channel_id: id, content: `what do we do about @${bob.name}?` };
    await ada.post("/api/messages", text);
    await bob.post(`/api/channels/${id}/join`, { password: "open sesame" });
    const { body } = await ada.post("/api/messages", text);
    await socket.next("mention:new");
    await socket.settle();
    expect(socket.all("mention:new").map(({ data }) => data.chat_message.id)).toEqual([body.message_id]);
  });
});

describe("typing", () => {
  test("is shown to the channel, once for many starts, and ends with the socket", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada);
    await using reader = await open(bob);
    await reader.ask("channel:join", { channel_id: id });
    const writer = await open(ada);
    await writer.ask("channel:join", { channel_id: id });
    for (let i = 0; i < 5; i++)
      expect((await writer.ask("typing:start", { channel_id: id })).data).toEqual({ success: true });
    await writer.ask("typing:stop", { channel_id: id });
    await writer.ask("typing:stop", { channel_id: id });
    await writer.ask("typing:start", { channel_id: id });
    await writer[Symbol.asyncDispose]();
    await eventually("four changes", () => reader.all("typing").length === 4);
    const data = (typing: boolean) => ({ channel_id: id, kind: "user", name: ada.name, typing });
    expect(reader.all("typing").map((frame) => frame.data)).toEqual([data(true), data(false), data(true), data(false)]);
  });

  test("needs a subscription", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const open1 = await newChannel(ada);
    const hidden = await newChannel(ada, { is_private: true });
    await using socket = await open(bob);
    expect(code(await socket.ask("typing:start", { channel_id: open1.id }))).toBe("error not_a_member");
    expect(code(await socket.ask("typing:start", { channel_id: hidden.id }))).toBe("error channel_not_found");
    expect(code(await socket.ask("typing:start", {}))).toBe("error channel_id_required");
  });
});

describe("user:list", () => {
  test("tells who came and left; one who comes back in time was never away", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada);
    await using watcher = await open(ada);
    await watcher.ask("channel:join", { channel_id: id });
    const names = (frame: Frame) => frame.data.users.map(({ name }: { name: string }) => name);
    const first = await open(bob);
    await first.ask("channel:join", { channel_id: id });
    const both = await watcher.find((frame) => frame.event === "user:list" && frame.data.count === 2);
    expect(both.data).toMatchObject({ channel_id: id, count: 2, guest_count: 0 });
    expect(names(both)).toEqual([ada.name, bob.name]);
    await first[Symbol.asyncDispose]();
    await using second = await open(bob);
    expect((await second.ask("channel:join", { channel_id: id })).data.count).toBe(2);
    const seen = watcher.all("user:list").length;
    await second.ask("channel:leave", { channel_id: id });
    const alone = await watcher.find(
      (frame) =>
        frame.event === "user:list" &&
        frame.data.count === 1 &&
        watcher.frames.indexOf(frame) > watcher.frames.indexOf(both),
    );
    expect(names(alone)).toEqual([ada.name]);
    expect(watcher.all("user:list").length).toBe(seen + 1);
  });
});

describe("resume", () => {
  const join = (socket: LiveSocket, id: number, after_seq: number, epoch = server.ctx.epoch) =>
    socket.ask("channel:join", { channel_id: id, after_seq, epoch });

  test("gives the very frames that were missed", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using witness = await open();
    await witness.ask("channel:join", { channel_id: id });
    const { body } = await ada.post("/api/messages", { channel_id: id, content: "one ☕" });
    await ada.post(`/api/messages/${body.message_id}/pin`);
    await ada.post("/api/messages", { channel_id: id, content: "three" });
    await eventually("three events", () => witness.seqs.length === 3);
    await using socket = await open();
    const { data } = await join(socket, id, 1);
    expect(data).toMatchObject({ recovered: true, last_seq: 3 });
    expect(data.events).toEqual(witness.frames.filter((frame) => frame.data.seq > 1 && frame.event !== "ack"));
    expect((await join(socket, id, 3)).data).toMatchObject({ recovered: true, events: [] });
    await ada.post("/api/messages", { channel_id: id, content: "four" });
    await socket.next("message:new");
    expect(socket.seqs).toEqual([4]);
  });

  test("another epoch, none, too far behind or ahead: the client pages the history", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await ada.post("/api/messages", { channel_id: id, content: "one" });
    await using socket = await open();
    for (const data of [
      { after_seq: 0, epoch: "another" },
      { after_seq: 0 },
      { after_seq: 2, epoch: server.ctx.epoch },
    ]) {
      const answer = await socket.ask("channel:join", { channel_id: id, ...data });
      expect(answer.data).toMatchObject({ success: true, recovered: false, last_seq: 1 });
      expect(Object.keys(answer.data)).not.toContain("events");
    }
    await ada.post("/api/messages", { channel_id: id, content: "two" });
    await socket.next("message:new");
    expect(socket.seqs).toEqual([2]);
  });

  test("1,000 missed events are given, 1,001 are not", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using sender = await open(ada);
    for (let from = 0; from < 1_001; from += 77) {
      for (let i = from; i < Math.min(from + 77, 1_001); i++)
        sender.tell("message:send", { channel_id: id, content: `${i}` });
      await eventually("the acks", () => sender.all("ack").length >= Math.min(from + 77, 1_001));
    }
    await using socket = await open();
    expect((await join(socket, id, 0)).data).toMatchObject({ recovered: false, last_seq: 1_001 });
    const { data } = await join(socket, id, 1);
    expect(data.recovered).toBe(true);
    expect(data.events.map((frame: Frame) => frame.data.seq)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 2));
  });

  test("through any number of breaks every event is seen once and in order, while others write", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using sender = await open(ada);
    await using other = await open(ada);
    let isDone = false;
    const write = async (socket: LiveSocket, pause: number) => {
      for (let i = 0; !isDone; i++) {
        socket.tell("message:send", { channel_id: id, content: `message ${i}` });
        if (i % pause === 0) await socket.ask("message:send", { channel_id: id, content: "waits" });
      }
    };
    const writers = [write(sender, 7), write(other, 1)];
    const seen: number[] = [];
    for (let round = 0; round < 40; round++) {
      const socket = await open();
      const ack = await join(socket, id, seen.length);
      const events: number[] = ack.data.events.map((frame: Frame) => frame.data.seq);
      const wanted = round % 4;
      await eventually("some live events", () => socket.seqs.length >= wanted);
      // Rejoining what it is in, with and without the place it stands at, must not break the run either.
      if (round % 5 === 0) await socket.ask("channel:join", { channel_id: id });
      const before = socket.frames.indexOf(ack);
      expect(socket.frames.slice(0, before).filter(({ event }) => event === "message:new")).toEqual([]);
      await socket[Symbol.asyncDispose]();
      seen.push(...events, ...socket.seqs);
    }
    isDone = true;
    await Promise.all(writers);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 1));
    expect(seen.length).toBeGreaterThan(40);
  });
});

describe("auth:login", () => {
  test("turns a guest into a user, in the channels it is in too", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using socket = await open();
    await socket.ask("channel:join", { channel_id: id });
    const answer = await socket.ask("auth:login", { username: ada.name, password: PASSWORD });
    expect(answer.data).toMatchObject({ success: true, user: { username: ada.name, admin_level: null } });
    await socket.find(({ event, data }) => event === "session:ready" && data.user?.username === ada.name);
    expect((await socket.ask("message:send", { channel_id: id, content: "me" })).data.chat_message.username).toBe(
      ada.name,
    );
    expect((await ada.get(`/api/channels/${id}/online`)).body).toMatchObject({ count: 1, guest_count: 0 });
    expect((await ada.get("/api/auth/sessions")).body.sessions).toHaveLength(2);
  });

  test("a wrong password changes nothing", async () => {
    const ada = await newUser();
    await using socket = await open();
    expect(code(await socket.ask("auth:login", { username: ada.name, password: "wrong one" }))).toBe(
      "error invalid_credentials",
    );
    expect(code(await socket.ask("auth:login", { username: ada.name }))).toBe("error invalid_request");
    expect(code(await socket.ask("message:send", { channel_slug: "general", content: "x" }))).toBe(
      "error session_required",
    );
  });

  test("as another user, a socket leaves what that one may not hear", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada, { is_private: true });
    await using socket = await open(ada);
    await socket.ask("channel:join", { channel_id: id });
    await socket.ask("auth:login", { username: bob.name, password: PASSWORD });
    expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "private" });
    await ada.post("/api/messages", { channel_id: id, content: "secret" });
    await socket.settle();
    expect(socket.all("message:new")).toEqual([]);
  });
});

describe("what is taken away elsewhere ends here", () => {
  test("a logout closes the session's sockets with 4401, and no others", async () => {
    const ada = await newUser();
    const login = await server.guest.post("/api/auth/login", { username: ada.name, password: PASSWORD });
    const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    await using here = await open(ada);
    await using there = await LiveSocket.open(server.url, { cookie });
    await ada.post("/api/auth/logout");
    expect(await here.whenClosed()).toMatchObject({ code: 4401 });
    await there.settle();
    const { body } = await server.guest.get("/api/auth/sessions", { headers: { cookie } });
    await server.guest.delete(`/api/auth/sessions/${body.sessions[0].session_id}`, { headers: { cookie } });
    expect(await there.whenClosed()).toMatchObject({ code: 4401 });
  });

  test("a new password closes the other sessions' sockets", async () => {
    const ada = await newUser();
    await using other = await open();
    await other.ask("auth:login", { username: ada.name, password: PASSWORD });
    await using own = await open(ada);
    const answer = await ada.put(`/api/user/${ada.name}`, { password: "another good one", current_password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(await other.whenClosed()).toMatchObject({ code: 4401 });
    await own.settle();
  });

  test("a suspension closes with 4403", async () => {
    const ada = await newUser();
    await using socket = await open(ada);
    const { id } = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ada.name)
      .executeTakeFirstOrThrow();
    announce(server.ctx, "user_suspended", id);
    expect(await socket.whenClosed()).toMatchObject({ code: 4403 });
  });

  test("a kick ends the subscription with an event, on all sockets of the user", async () => {
    const [ada, bob] = [await newUser(), await newUser()];
    const { id } = await newChannel(ada, { is_private: true, password: "open sesame" });
    await bob.post(`/api/channels/${id}/join`, { password: "open sesame" });
    await using first = await open(bob);
    await using second = await open(bob);
    await first.ask("channel:join", { channel_id: id });
    await second.ask("channel:join", { channel_id: id });
    expect((await ada.delete(`/api/channels/${id}/members/${bob.name}`)).status).toBe(200);
    for (const socket of [first, second]) {
      expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "kicked" });
    }
    await ada.post("/api/messages", { channel_id: id, content: "he is gone" });
    await first.settle();
    expect(first.all("message:new")).toEqual([]);
    expect((await ada.get(`/api/channels/${id}/online`)).body.count).toBe(0);
    expect(code(await first.ask("channel:join", { channel_id: id }))).toBe("error password_required");
  });

  test("a channel that becomes private is left by those who are not in it", async () => {
    const ada = await newUser();
    const { id } = await newChannel(ada);
    await using guest = await open();
    await using owner = await open(ada);
    await guest.ask("channel:join", { channel_id: id });
    await owner.ask("channel:join", { channel_id: id });
    expect((await ada.put(`/api/channels/${id}`, { is_private: true })).status).toBe(200);
    expect((await guest.next("access:ended")).data).toEqual({ channel_id: id, reason: "private" });
    await owner.ask("message:send", { channel_id: id, content: "among us" });
    await guest.settle();
    expect([guest.all("message:new").length, owner.all("access:ended").length]).toEqual([0, 0]);
  });
});

describe("bad frames", () => {
  const deep = `${"[".repeat(17)}${"]".repeat(17)}`;
  const bad: [string, string | Uint8Array, string][] = [
    ["no JSON", "{", "invalid_json"],
    ["binary", new Uint8Array([1, 2, 3]), "invalid_json"],
    ["too deep", `{"event":"ping","data":${deep}}`, "invalid_json"],
    ["no object", "[]", "invalid_request"],
    ["null", "null", "invalid_request"],
    ["no event", "{}", "invalid_request"],
    ["an event that is no text", '{"event":1}', "invalid_request"],
    ["data that is no object", '{"event":"ping","data":1}', "invalid_request"],
    ["an unknown command", '{"event":"reaction:add"}', "unknown_command"],
    ["a name of the prototype", '{"event":"constructor"}', "unknown_command"],
    ["a forbidden key", '{"event":"ping","data":{"__proto__":1}}', "invalid_request"],
    ["a ref that is none", '{"event":"ping","ref":{}}', "invalid_request"],
  ];
  test.each(bad)("%s gets an error frame", async (_, frame, expected) => {
    await using socket = await open();
    socket.send(frame);
    const { data } = await socket.next("error");
    expect(data).toMatchObject({ success: false, code: expected });
    await socket.settle();
  });

  test("ten in a row close with 4400, a good one between starts anew", async () => {
    await using socket = await open();
    for (let i = 0; i < 9; i++) socket.send("{");
    await socket.ask("ping");
    for (let i = 0; i < 9; i++) socket.send("{");
    await socket.ask("ping");
    for (let i = 0; i < 10; i++) socket.send("{");
    expect(await socket.whenClosed()).toMatchObject({ code: 4400 });
    expect(socket.all("error")).toHaveLength(28);
  });

  test("refs come back as they were, also numbers and with errors; without one it is null", async () => {
    await using socket = await open();
    socket.send('{"event":"ping","ref":"a \\"b\\""}');
    socket.send('{"event":"ping","ref":-7}');
    socket.send('{"event":"nope","ref":"x"}');
    socket.send('{"event":"ping"}');
    await socket.answer(null);
    const answers = socket.frames.slice(1).map(({ event, ref }) => [event, ref]);
    expect(answers).toEqual<unknown[]>([
      ["ack", 'a "b"'],
      ["ack", -7],
      ["error", "x"],
      ["ack", null],
    ]);
  });

  test("a frame above 64 KiB closes the socket; one just below is read", async () => {
    await using socket = await open();
    socket.send(JSON.stringify({ event: "ping", data: { fill: "x".repeat(65_000) }, ref: 1 }));
    await socket.answer(1);
    socket.send(JSON.stringify({ event: "ping", data: { fill: "x".repeat(66_000) }, ref: 2 }));
    expect(await socket.whenClosed()).toMatchObject({ code: 1009 });
  });
});

describe("limits", () => {
  test("more than 60 frames in 10 s close with 4408", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
    await using socket = await open(null, strict);
    for (let i = 0; i < 60; i++) socket.tell("ping");
    await socket.answer(60);
    expect(socket.closed).toBeNull();
    socket.tell("ping");
    expect(await socket.whenClosed()).toMatchObject({ code: 4408 });
  });

  test("sends count against the same quota as over HTTP", async () => {
    const clock = stillClock();
    await using strict = await startTestServer({ rateFactor: 1 }, { clock });
    const ada = await newUser(strict);
    const { id } = await newChannel(ada);
    await using socket = await open(ada, strict);
    for (let i = 0; i < 30; i++) await ada.post("/api/messages", { channel_id: id, content: "x" });
    for (let i = 0; i < 30; i++)
      expect((await socket.ask("message:send", { channel_id: id, content: "x" })).event).toBe("ack");
    const { data } = await socket.ask("message:send", { channel_id: id, content: "x" });
    expect(data).toMatchObject({ success: false, code: "rate_limited", retry_after: expect.any(Number) });
    expect((await ada.post("/api/messages", { channel_id: id, content: "x" })).status).toBe(429);
  });
});

describe("heartbeat", () => {
  test("pings after 25 s; who answers stays, who does not is cut off after 60 s, busy channel or not", async () => {
    const clock = stillClock();
    await using still = await startTestServer({}, { clock });
    const ada = await newUser(still);
    await using alive = await open(ada, still);
    await alive.ask("channel:join", { channel_slug: "general" });
    using dead = await RawSocket.open(still.url);
    dead.send(JSON.stringify({ event: "channel:join", data: { channel_slug: "general" } }));
    await eventually("its ack", () => dead.frames.length >= 2);
    clock.advance(25_000);
    await eventually("a ping", () => dead.frames.some(({ opcode }) => opcode === 9));
    for (let i = 0; i < 3; i++) {
      clock.advance(13_000);
      await alive.ask("message:send", { channel_slug: "general", content: "life goes on" });
    }
    await eventually("the end of the dead", () => dead.isClosed, 10_000);
    await alive.settle();
    expect(still.ctx.presence.guestCount(1)).toBe(0);
  });
});

describe("slow readers", () => {
  test("hurt nobody: one who reads on is closed with 4409 and has lost nothing before, one who does not is cut off", async () => {
    const clock = stillClock();
    await using still = await startTestServer({}, { clock });
    const ada = await newUser(still);
    const { id } = await newChannel(ada);
    await using reader = await open(null, still);
    await reader.ask("channel:join", { channel_id: id });
    using stopped = await RawSocket.open(still.url);
    using slow = await RawSocket.open(still.url);
    for (const raw of [stopped, slow]) {
      raw.send(JSON.stringify({ event: "channel:join", data: { channel_id: id } }));
      await eventually("its ack", () => raw.frames.length >= 2);
      raw.tcp.pause();
    }
    await using sender = await open(ada, still);
    const content = "x".repeat(3_900);
    let sent = 0;
    while (still.ctx.presence.guestCount(id) > 1) {
      for (let i = 0; i < 4; i++) sender.tell("message:send", { channel_id: id, content });
      sent += 4;
      await eventually("the acks", () => sender.all("ack").length === sent);
      if (sent > 5_000) throw new Error("nobody was found to be slow");
    }
    expect(await sockets(still)).toBe(4);
    slow.tcp.resume();
    await eventually("the slow one's end", () => slow.isClosed);
    const last = slow.frames.at(-1);
    expect([last?.opcode, last?.payload.readUInt16BE(0)]).toEqual([8, 4409]);
    const frames = slow.frames
      .filter(({ opcode }) => opcode === 1)
      .map(({ payload }) => JSON.parse(payload.toString()));
    const heard = frames.filter(({ event }: Frame) => event === "message:new").map(({ data }: Frame) => data.seq);
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, i) => i + 1));
    expect(heard.length).toBeGreaterThan(256);
    expect(await sockets(still)).toBe(3);
    clock.advance(8_000);
    await eventually("the stopped one's end", async () => (await sockets(still)) === 2);
    await reader.settle();
    expect(reader.seqs).toEqual(Array.from({ length: sent }, (_, i) => i + 1));
  }, 30_000);

  /** Open sockets, as the metrics count them. */
  async function sockets({ ctx }: TestServer): Promise<number> {
    return Number((await ctx.metrics.render()).match(/^parley_sockets_open (\d+)/m)?.[1]);
  }
});

describe("drain", () => {
  test("says goodbye, closes with 1012, takes no new sockets", async () => {
    const draining = await startTestServer();
    const ada = await newUser(draining);
    const [first, second] = [await open(ada, draining), await open(null, draining)];
    await draining[Symbol.asyncDispose]();
    for (const socket of [first, second]) {
      expect(await socket.whenClosed()).toMatchObject({ code: 1012 });
      expect(socket.frames.at(-1)).toEqual({ event: "server:draining", data: {} });
    }
  });
});

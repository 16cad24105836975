import { describe, expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Named } from "../support/servers/test-server.ts";
import { type Client, eventually, PASSWORD } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Muting and kicking (protocol §0, §3) as connected users experience it, by the channel's admins and by moderators. */
const clock = datedClock();
const { server, open } = await realtimeBench({ clock });
let moderators = 0;
const moderator = (): Promise<Client> => staff(server, `maud${++moderators}`, 1);

const later = (ms: number) => new Date(clock.now() + ms).toISOString();

describe.each(["the channel's owner", "a moderator of the site"])("%s", (who) => {
  const byWhom = async (owner: Client): Promise<Client> => (who === "a moderator of the site" ? moderator() : owner);

  test("mutes a user, who cannot write on the socket until the time is over", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await bob.post(`/api/channels/${id}/join`);
    await using socket = await open(bob);
    await socket.ask("channel:join", { channel_id: id });
    const own = (await socket.ask("message:send", { channel_id: id, content: "one" })).data.message_id;
    const by = await byWhom(ada);
    const mute = (muted_until: string | null) => by.put(`/api/channels/${id}/members/${bob.username}`, { muted_until });
    expect((await mute(later(60_000))).status).toBe(200);
    expect(code(await socket.ask("message:send", { channel_id: id, content: "two" }))).toBe("error muted");
    expect(code(await socket.ask("message:edit", { message_id: own, content: "two" }))).toBe("error muted");
    expect(code(await socket.ask("typing:start", { channel_id: id }))).toBe("error muted");
    expect((await bob.put(`/api/messages/${own}/reactions/like`)).body.code).toBe("muted");
    // They keep listening, and stay a member.
    await ada.post("/api/messages", { channel_id: id, content: "hush" });
    await socket.find(({ event, data }) => event === "message:new" && data.chat_message.content === "hush");
    clock.ahead += 60_000;
    expect((await socket.ask("message:send", { channel_id: id, content: "three" })).event).toBe("ack");
    await mute(later(60_000));
    expect((await mute(null)).body.member.muted_until).toBeNull();
    expect((await socket.ask("message:send", { channel_id: id, content: "four" })).event).toBe("ack");
  });

  test("kicks a user, who at once receives no more events of the channel", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await bob.post(`/api/channels/${id}/join`);
    await using first = await open(bob);
    await using second = await open(bob);
    for (const socket of [first, second]) await socket.ask("channel:join", { channel_id: id });
    const by = await byWhom(ada);
    expect((await by.delete(`/api/channels/${id}/members/${bob.username}`)).status).toBe(200);
    for (const socket of [first, second]) {
      expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "kicked" });
    }
    await ada.post("/api/messages", { channel_id: id, content: "unheard" });
    await first.settle();
    expect(first.all("message:new")).toEqual([]);
    expect(code(await first.ask("typing:start", { channel_id: id }))).toBe("error not_a_member");
    // They can join a public channel again.
    expect((await bob.post(`/api/channels/${id}/join`)).status).toBe(200);
  });

  test("mutes and kicks an agent, and a kick is an event in its stream", async () => {
    const ada = await server.newUser();
    const { id, slug } = await newChannel(ada);
    const name = `Agent ${who.length} ${id}`;
    const agent = await server.agent(name);
    const login = () => agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: name });
    const send = () => agent.post("/api/agenthub/send", { channel_slug: slug, agent_name: name, message: "hi" });
    await login();
    await using stream = await EventReader.open(server.url, agent.credential);
    const by = await byWhom(ada);
    const path = `/api/channels/${id}/members/${encodeURIComponent(name)}`;
    expect((await by.put(path, { muted_until: later(60_000) })).body.member.kind).toBe("agent");
    expect((await send()).body.code).toBe("muted");
    await by.put(path, { muted_until: null });
    expect((await send()).status).toBe(201);
    expect((await by.delete(path)).status).toBe(200);
    const ended = await stream.next(({ event }) => event === "access:ended");
    expect(ended.data).toEqual({ channel_id: id, reason: "kicked" });
    await eventually("it is off the list", async () => (await ada.get(`/api/channels/${id}/online`)).body.count === 0);
    expect((await login()).status).toBe(200);
  });
});

test("a user kicked from a private channel loses all access", async () => {
  const [ada, bob] = [await server.newUser(), await server.newUser()];
  const { id } = await newChannel(ada, { is_private: true });
  await ada.put(`/api/channels/${id}/members/${bob.username}`, {});
  await using socket = await open(bob);
  await socket.ask("channel:join", { channel_id: id });
  await ada.delete(`/api/channels/${id}/members/${bob.username}`);
  expect((await socket.next("access:ended")).data.reason).toBe("kicked");
  expect(code(await socket.ask("channel:join", { channel_id: id }))).toBe("error channel_not_found");
  expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(404);
});

test("nobody can mute or kick people of the same or a higher rank on the site", async () => {
  const ada = await server.newUser();
  const { id } = await newChannel(ada);
  const [first, second] = [await moderator(), await moderator()];
  await staff(server, "ruth", 2);
  for (const name of ["maud1", "ruth"]) await ada.put(`/api/channels/${id}/members/${name}`, {});
  expect((await ada.put(`/api/channels/${id}/members/ruth`, { muted_until: later(60_000) })).body.code).toBe(
    "forbidden",
  );
  expect((await ada.delete(`/api/channels/${id}/members/ruth`)).body.code).toBe("forbidden");
  for (const by of [first, second]) {
    expect((await by.delete(`/api/channels/${id}/members/maud1`)).body.code).toBe("forbidden");
  }
  expect((await ada.delete(`/api/channels/${id}/members/maud1`)).status).toBe(200);
});

describe("the online list", () => {
  const online = async (owner: Client, id: number) => {
    const { users, guest_count } = (await owner.get(`/api/channels/${id}/online`)).body;
    return [users.map(({ name }: { name: string }) => name), guest_count];
  };

  test("counts a banned user as a guest, as they read, until the ban is lifted", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await using socket = await open(bob);
    await socket.ask("channel:join", { channel_id: id });
    expect(await online(ada, id)).toEqual([[bob.username], 0]);
    await ada.post(`/api/channels/${id}/bans`, { username: bob.username });
    await socket.next("access:ended");
    const joined = await socket.ask("channel:join", { channel_id: id });
    expect(joined.data).toMatchObject({ count: 0, guest_count: 1, users: [] });
    await ada.delete(`/api/channels/${id}/bans/${bob.username}`);
    await eventually("bob is listed", async () => Bun.deepEquals(await online(ada, id), [[bob.username], 0]));
    await socket.ask("channel:leave", { channel_id: id });
    expect(await online(ada, id)).toEqual([[], 0]);
  });

  test("a socket that changes users follows the new user's ban", async () => {
    const [ada, bob, eve] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await ada.post(`/api/channels/${id}/bans`, { username: eve.username });
    await using socket = await open(bob);
    await socket.ask("channel:join", { channel_id: id });
    const become = ({ username }: Named) => socket.ask("auth:login", { username, password: PASSWORD });
    await become(eve);
    await eventually("eve counts as a guest", async () => Bun.deepEquals(await online(ada, id), [[], 1]));
    await become(bob);
    await eventually("bob is listed", async () => Bun.deepEquals(await online(ada, id), [[bob.username], 0]));
  });
});

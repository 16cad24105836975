import { describe, expect, test } from "bun:test";
import type { Frame } from "../support/servers/live-socket.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const { server, open } = await realtimeBench();

describe("channel:join and channel:leave", () => {
  test("returns the channel, the caller's role and the online list", async () => {
    const ada = await server.newUser();
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
    expect(data.users).toEqual([{ kind: "user", name: ada.username, honor_level: 0, since: expect.any(String) }]);
    expect(Object.keys(data)).not.toContain("recovered");
  });

  test("counts guests without listing them, and lists a user with two sockets once", async () => {
    const ada = await server.newUser();
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

  test("hides private channels or opens them with the password, which makes a member", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
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

  test("refuses channels that are not named, missing or not joined", async () => {
    await using socket = await open();
    expect(code(await socket.ask("channel:join", {}))).toBe("error channel_id_required");
    expect(code(await socket.ask("channel:join", { channel_slug: "nowhere" }))).toBe("error channel_not_found");
    expect(code(await socket.ask("channel:join", { channel_id: -1 }))).toBe("error invalid_request");
    expect(code(await socket.ask("channel:leave", { channel_slug: "general" }))).toBe("error channel_not_found");
  });

  test("ends all frames of the channel after channel:leave", async () => {
    const ada = await server.newUser();
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

  test("refuses guests on a server without guest reading, where they can still connect and log in", async () => {
    await using closed = await startTestServer({ guestRead: false });
    const ada = await closed.newUser();
    await using socket = await open(null, closed);
    expect(code(await socket.ask("channel:join", { channel_slug: "general" }))).toBe("error session_required");
    await socket.ask("auth:login", { username: ada.username, password: PASSWORD });
    expect((await socket.ask("channel:join", { channel_slug: "general" })).event).toBe("ack");
  });

  test("is limited to 200 channels per socket", async () => {
    await using socket = await open();
    const ids: number[] = [];
    while (ids.length < 201) {
      const owner = await server.newUser();
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

describe("typing", () => {
  test("is shown to the channel, once for many starts, and ends with the socket", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
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
    const data = (typing: boolean) => ({ channel_id: id, kind: "user", name: ada.username, typing });
    expect(reader.all("typing").map((frame) => frame.data)).toEqual([data(true), data(false), data(true), data(false)]);
  });

  test("requires a subscription", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const open1 = await newChannel(ada);
    const hidden = await newChannel(ada, { is_private: true });
    await using socket = await open(bob);
    expect(code(await socket.ask("typing:start", { channel_id: open1.id }))).toBe("error not_a_member");
    expect(code(await socket.ask("typing:start", { channel_id: hidden.id }))).toBe("error channel_not_found");
    expect(code(await socket.ask("typing:start", {}))).toBe("error channel_id_required");
  });
});

describe("user:list", () => {
  test("reports who joined and left, but not a user who returns in time", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await using watcher = await open(ada);
    await watcher.ask("channel:join", { channel_id: id });
    const names = (frame: Frame) => frame.data.users.map(({ name }: { name: string }) => name);
    const first = await open(bob);
    await first.ask("channel:join", { channel_id: id });
    const both = await watcher.find((frame) => frame.event === "user:list" && frame.data.count === 2);
    expect(both.data).toMatchObject({ channel_id: id, count: 2, guest_count: 0 });
    expect(names(both)).toEqual([ada.username, bob.username]);
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
    expect(names(alone)).toEqual([ada.username]);
    expect(watcher.all("user:list").length).toBe(seen + 1);
  });
});

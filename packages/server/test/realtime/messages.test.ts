import { describe, expect, test } from "bun:test";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { eventually } from "../support/servers/test-server.ts";

const { server, open } = await realtimeBench();

describe("messages on a socket", () => {
  test("are answered by message:send as over HTTP, and reach everyone including the sender", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
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

  test("take effect in the order of their frames, whatever they have to look up", async () => {
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    const first = await ada.post("/api/messages", { channel_id: id, content: "first" });
    await using socket = await open(ada);
    await socket.ask("channel:join", { channel_id: id });
    const contents = Array.from({ length: 60 }, (_, i) => `${i}`);
    for (const [i, content] of contents.entries()) {
      const reply = i % 3 === 0 ? { reply_to_id: first.body.message_id } : {};
      socket.tell("message:send", {
        channel_id: id,
        content: i % 5 === 0 ? `${content} @${ada.username}` : content,
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

  test("can be edited and deleted with message:edit and message:delete", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
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

  test("cannot be written by guests, who are refused before their data is checked", async () => {
    await using guest = await open();
    await guest.ask("channel:join", { channel_slug: "general" });
    for (const event of ["message:send", "message:edit", "message:delete", "typing:start", "typing:stop"]) {
      expect(code(await guest.ask(event, { content: 1 }))).toBe("error session_required");
    }
  });

  test("arrive with pins and settings as events, and a deleted channel ends the subscription", async () => {
    const ada = await server.newUser();
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

  test("notify mentioned users on every socket, subscribed or not", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await using socket = await open(bob);
    const { body } = await ada.post("/api/messages", { channel_id: id, content: `hello @${bob.username}` });
    expect((await socket.next("mention:new")).data).toEqual({ channel_id: id, chat_message: body.chat_message });
  });

  test("notify only newly mentioned users after an edit", async () => {
    const [ada, bob, cat] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada);
    await using first = await open(bob);
    await using second = await open(cat);
    const { message_id } = (await ada.post("/api/messages", { channel_id: id, content: `@${bob.username}?` })).body;
    await first.next("mention:new");
    const both = `@${bob.username} @${cat.username}?`;
    expect((await ada.put(`/api/messages/${message_id}`, { content: both })).status).toBe(200);
    await second.next("mention:new");
    await first.settle();
    expect(first.all("mention:new").length).toBe(1);
  });

  test("do not notify mentioned users who cannot read the private channel", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada, { is_private: true, password: "open sesame" });
    await using socket = await open(bob);
    const text = { channel_id: id, content: `what do we do about @${bob.username}?` };
    await ada.post("/api/messages", text);
    await bob.post(`/api/channels/${id}/join`, { password: "open sesame" });
    const { body } = await ada.post("/api/messages", text);
    await socket.next("mention:new");
    await socket.settle();
    expect(socket.all("mention:new").map(({ data }) => data.chat_message.id)).toEqual([body.message_id]);
  });
});

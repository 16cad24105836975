import { describe, expect, spyOn, test } from "bun:test";
import { publishControl } from "../../src/realtime/control/control.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Named } from "../support/servers/test-server.ts";
import { type Client, eventually, logIn, PASSWORD } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const { server, open } = await realtimeBench();

describe("auth:login", () => {
  test("turns a guest into a user, also in the channels the guest is in", async () => {
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    await using socket = await open();
    await socket.ask("channel:join", { channel_id: id });
    const answer = await socket.ask("auth:login", { username: ada.username, password: PASSWORD });
    expect(answer.data).toMatchObject({ success: true, user: { username: ada.username, admin_level: null } });
    await socket.find(({ event, data }) => event === "session:ready" && data.user?.username === ada.username);
    expect((await socket.ask("message:send", { channel_id: id, content: "me" })).data.chat_message.username).toBe(
      ada.username,
    );
    expect((await ada.get(`/api/channels/${id}/online`)).body).toMatchObject({ count: 1, guest_count: 0 });
    expect((await ada.get("/api/auth/sessions")).body.sessions).toHaveLength(2);
  });

  test("starts a session that ends with the socket's user, while a session of a cookie continues", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const sessions = async (who: Client) => (await who.get("/api/auth/sessions")).body.sessions.length;
    const become = (socket: LiveSocket, { username }: Named) =>
      socket.ask("auth:login", { username, password: PASSWORD });
    {
      await using socket = await open(ada);
      await become(socket, bob);
      expect([await sessions(ada), await sessions(bob)]).toEqual([1, 2]);
      await become(socket, ada);
      await eventually("bob's is over", async () => (await sessions(bob)) === 1);
      expect(await sessions(ada)).toBe(2);
      expect((await socket.ask("message:send", { channel_slug: "general", content: "me" })).event).toBe("ack");
    }
    await eventually("ada's is over", async () => (await sessions(ada)) === 1);
  });

  test("changes nothing with a wrong password", async () => {
    const ada = await server.newUser();
    await using socket = await open();
    expect(code(await socket.ask("auth:login", { username: ada.username, password: "wrong one" }))).toBe(
      "error invalid_credentials",
    );
    expect(code(await socket.ask("auth:login", { username: ada.username }))).toBe("error invalid_request");
    expect(code(await socket.ask("message:send", { channel_slug: "general", content: "x" }))).toBe(
      "error session_required",
    );
  });

  test("as another user leaves the channels that user cannot read", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada, { is_private: true });
    await using socket = await open(ada);
    await socket.ask("channel:join", { channel_id: id });
    await socket.ask("auth:login", { username: bob.username, password: PASSWORD });
    expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "private" });
    await ada.post("/api/messages", { channel_id: id, content: "secret" });
    await socket.settle();
    expect(socket.all("message:new")).toEqual([]);
  });
});

describe("a change elsewhere ends access on the socket:", () => {
  test("a logout closes the session's sockets with 4401, and no others", async () => {
    const ada = await server.newUser();
    const elsewhere = await logIn(server.url, ada.username);
    await using here = await open(ada);
    await using there = await LiveSocket.open(server.url, elsewhere.credential);
    await ada.post("/api/auth/logout");
    expect(await here.whenClosed()).toMatchObject({ code: 4401 });
    await there.settle();
    const { body } = await elsewhere.get("/api/auth/sessions");
    await elsewhere.delete(`/api/auth/sessions/${body.sessions[0].session_id}`);
    expect(await there.whenClosed()).toMatchObject({ code: 4401 });
  });

  test("a session that ends during the handshake closes its socket, too", async () => {
    const ada = await server.newUser();
    await ada.get("/api/auth/sessions");
    const { ctx } = server;
    const user = await ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ada.username)
      .executeTakeFirstOrThrow();
    const session = await ctx.db
      .deleteFrom("sessions")
      .where("user_id", "=", user.id)
      .returning("id")
      .executeTakeFirstOrThrow();
    // The user was already identified, and no socket exists yet that could receive the change.
    const take = ctx.limiter.take.bind(ctx.limiter);
    using _ = spyOn(ctx.limiter, "take").mockImplementation((policy, subject) => {
      publishControl(ctx, "session_ended", session.id);
      return take(policy, subject);
    });
    await using socket = await open(ada);
    expect((await socket.whenClosed()).code).toBe(4401);
  });

  test("a new password closes the other sessions' sockets", async () => {
    const ada = await server.newUser();
    await using other = await open();
    await other.ask("auth:login", { username: ada.username, password: PASSWORD });
    await using own = await open(ada);
    const answer = await ada.put(`/api/user/${ada.username}`, {
      password: "another good one",
      current_password: PASSWORD,
    });
    expect(answer.status).toBe(200);
    expect(await other.whenClosed()).toMatchObject({ code: 4401 });
    await own.settle();
  });

  test("a suspension closes with 4403", async () => {
    const ada = await server.newUser();
    await using socket = await open(ada);
    const { id } = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ada.username)
      .executeTakeFirstOrThrow();
    publishControl(server.ctx, "user_suspended", id);
    expect(await socket.whenClosed()).toMatchObject({ code: 4403 });
  });

  test("a kick ends the subscription with an event, on all sockets of the user", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ada, { is_private: true, password: "open sesame" });
    await bob.post(`/api/channels/${id}/join`, { password: "open sesame" });
    await using first = await open(bob);
    await using second = await open(bob);
    await first.ask("channel:join", { channel_id: id });
    await second.ask("channel:join", { channel_id: id });
    expect((await ada.delete(`/api/channels/${id}/members/${bob.username}`)).status).toBe(200);
    for (const socket of [first, second]) {
      expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "kicked" });
    }
    await ada.post("/api/messages", { channel_id: id, content: "he is gone" });
    await first.settle();
    expect(first.all("message:new")).toEqual([]);
    expect((await ada.get(`/api/channels/${id}/online`)).body.count).toBe(0);
    expect(code(await first.ask("channel:join", { channel_id: id }))).toBe("error password_required");
  });

  test("a removed level ends the subscriptions it allowed", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const ruth = await staff(server, "ruth", 2);
    const root = await staff(server, "root2", 3);
    const { id } = await newChannel(ada, { is_private: true });
    const open_ = await newChannel(bob);
    await using socket = await open(ruth);
    for (const channel_id of [id, open_.id]) await socket.ask("channel:join", { channel_id });
    expect((await root.put("/api/admin/users/ruth", { admin_level: 1 })).status).toBe(200);
    expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "private" });
    await bob.post("/api/messages", { channel_id: open_.id, content: "to all" });
    await socket.next("message:new");
  });

  test("a channel that becomes private is left by users outside it", async () => {
    const ada = await server.newUser();
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

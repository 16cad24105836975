import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** A request can name its channel by id and by slug; both must mean the same channel. */

const server = await forAllTests(startTestServer());
const [ann, bob] = [await server.user("ann"), await server.user("bob")];
const tea = (await ann.post("/api/channels", { name: "Tea" })).body;
const hidden = (await ann.post("/api/channels", { name: "Hidden", is_private: true })).body;
expect([tea.channel_slug, hidden.channel_slug]).toEqual(["tea", "hidden"]);

const PACKET = { total_amount: "2", count: 2 };

describe("a request that names its channel twice", () => {
  const query = (channel: object) => new URLSearchParams(channel as Record<string, string>);
  const calls: [string, (by: Client, channel: object) => ReturnType<Client["get"]>, number][] = [
    ["history", (by, channel) => by.get(`/api/messages?${query(channel)}`), 200],
    ["a search", (by, channel) => by.get(`/api/search/messages?q=tea&${query(channel)}`), 200],
    ["a list of packets", (by, channel) => by.get(`/api/red-packets?${query(channel)}`), 200],
    ["a message", (by, channel) => by.post("/api/messages", { ...channel, content: "hello" }), 201],
    ["a packet", (by, channel) => by.post("/api/red-packets", { ...channel, ...PACKET }), 201],
  ];

  test.each(calls)(
    "is refused for %s if the two differ, and reveals nothing about hidden channels",
    async (_, call, status) => {
      const { channel_id, channel_slug } = tea;
      expect((await call(ann, { channel_id, channel_slug })).status).toBe(status);
      const differ = await call(ann, { channel_id, channel_slug: "general" });
      expectError(differ, 400, "invalid_request");
      expect(differ.body.details).toEqual([{ path: "channel_slug", message: expect.any(String) }]);
      for (const slug of ["hidden", "tea"]) {
        expectError(await call(bob, { channel_id: hidden.channel_id, channel_slug: slug }), 404, "channel_not_found");
      }
    },
  );

  test.each(calls.slice(0, 3))(
    "finds %s if the slug looks like an id and both mean the same channel",
    async (_, call, status) => {
      expect((await call(bob, { channel_id: "tea", channel_slug: "tea" })).status).toBe(status);
      expectError(await call(bob, { channel_id: "tea", channel_slug: "general" }), 400, "invalid_request");
    },
  );
});

test("a socket command whose channel_id and channel_slug differ sends, joins and pays nothing", async () => {
  using socket = await TestSocket.open(server.url, bob.credential);
  const differ = { channel_id: tea.channel_id, channel_slug: "general" };
  const refused = { event: "error", data: { code: "invalid_request" } };
  expect(await socket.command("channel:join", differ)).toMatchObject(refused);
  expect(await socket.command("message:send", { ...differ, content: "hello" })).toMatchObject(refused);
  const locked = { name: "Locked", is_private: true, password: "open sesame" };
  const { channel_id } = (await ann.post("/api/channels", locked)).body;
  const join = { channel_id, channel_slug: "tea", password: "open sesame" };
  expect(await socket.command("channel:join", join)).toMatchObject(refused);
  expect((await bob.get(`/api/channels/${channel_id}`)).body.code).toBe("password_required");
  expect(await socket.command("channel:join", { ...join, channel_slug: "locked" })).toMatchObject({ event: "ack" });
});

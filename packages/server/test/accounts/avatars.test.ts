import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif } from "../support/gifs.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const GIF = Buffer.from(stillGif()).toString("base64");

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  test("one request returns the avatar versions of many users; a new picture changes its version, and its URL can be cached", async () => {
    const [ann] = [await server.user("Ann"), await server.user("bob")];
    const ask = async () => {
      const { status, body } = await server.guest.get("/api/avatars?usernames=ann,bob,nobody,ANN");
      expect(status).toBe(200);
      return body.avatars;
    };
    expect(await ask()).toEqual([]);
    await ann.put("/api/user/Ann", { avatar: GIF });
    const [{ username, version }, ...others] = await ask();
    expect([username, others]).toEqual(["Ann", []]);
    const cached = async (v: string) =>
      (await fetch(`${server.url}/api/user/ann/avatar?v=${v}`)).headers.get("cache-control");
    expect(await cached(version)).toBe("public, max-age=31536000, s-maxage=300, immutable");
    // A picture requested under an old version must not be cached under it.
    expect(await cached("another")).toBe("public, no-cache");
    await ann.put("/api/user/Ann", { avatar: null });
    expect(await ask()).toEqual([]);
  });

  test("a changed avatar is announced to the user's channels and to the user; other profile changes are not", async () => {
    const [cat, dan] = [await server.user("cat"), await server.user("dan")];
    await cat.post("/api/channels/1/leave");
    const { body } = await cat.post("/api/channels", { name: "Gallery" });
    using there = await TestSocket.open(server.url);
    using elsewhere = await TestSocket.open(server.url, dan.credential);
    using own = await TestSocket.open(server.url, cat.credential);
    await there.command("channel:join", { channel_id: body.channel_id });
    await elsewhere.command("channel:join", { channel_slug: "general" });
    await cat.put("/api/user/cat", { email: "cat@example.org" });
    await cat.put("/api/user/cat", { avatar: GIF });
    const { data } = await there.next((frame) => frame.event === "user:avatar");
    const { avatars } = (await server.guest.get("/api/avatars?usernames=cat")).body;
    expect(data).toEqual(avatars[0]);
    expect((await own.next((frame) => frame.event === "user:avatar")).data).toEqual(data);
    await cat.put("/api/user/cat", { avatar: null });
    await there.next((frame) => frame.event === "user:avatar" && frame.data.version === null);
    await elsewhere.command("ping");
    const told = (socket: TestSocket) => socket.frames.filter((frame) => frame.event === "user:avatar").length;
    expect([told(there), told(elsewhere)]).toEqual([2, 0]);
  });

  test("deleting an account also removes its avatar from open pages", async () => {
    const eve = await server.user("eve");
    await eve.put("/api/user/eve", { avatar: GIF });
    await eve.post("/api/messages", { channel_slug: "general", content: "farewell" });
    using there = await TestSocket.open(server.url);
    await there.command("channel:join", { channel_slug: "general" });
    expect((await eve.send("DELETE", "/api/user/eve", { body: { password: PASSWORD } })).status).toBe(200);
    const { data } = await there.next((frame) => frame.event === "user:avatar");
    expect(data).toEqual({ username: "eve", version: null });
    expect((await server.guest.get("/api/avatars?usernames=eve")).body.avatars).toEqual([]);
  });

  test.each(["", "?usernames=", "?usernames=a,,b", `?usernames=${Array.from({ length: 101 }, () => "ann").join(",")}`])(
    "%j is refused as the query of GET /api/avatars",
    async (query) => {
      expectError(await server.guest.get(`/api/avatars${query}`), 400, "invalid_request");
    },
  );
});

test("guests who cannot read do not see avatars", async () => {
  await using server = await startTestServer({ guestRead: false });
  expectError(await server.guest.get("/api/avatars?usernames=ann"), 401, "session_required");
  const ann = await server.user("ann");
  expect((await ann.get("/api/avatars?usernames=ann")).body.avatars).toEqual([]);
});

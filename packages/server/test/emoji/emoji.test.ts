import { expect, test } from "bun:test";
import { isStandardName } from "../../src/emoji/standard-names.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { addEmoji, emojiPicture } from "../support/emoji.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif, VALID_GIFS } from "../support/gifs.ts";
import { newChannel } from "../support/new-channel.ts";
import { png } from "../support/pngs.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** Emoji of the server over real HTTP (protocol §13.17). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const listed = async () => (await server.guest.get("/api/emoji")).body.emoji as { name: string }[];
  const namesOf = async () => (await listed()).map(({ name }) => name);

  test("a member adds an emoji, and everybody lists and sees it, small and without what the picture hid", async () => {
    const ann = await server.newUser();
    const hidden = "a secret place";
    const { status, body } = await addEmoji(ann, "party_parrot", png(300, 200, { text: hidden }));
    expect([status, body.code]).toEqual([201, undefined]);
    const emoji = {
      name: "party_parrot",
      url: expect.stringMatching(/^\/api\/emoji\/party_parrot\/picture\?v=[\w-]{22}$/),
      mime_type: "image/webp",
      width: 128,
      height: 85,
      is_animated: false,
      username: ann.username,
      created_at: expect.any(String),
    };
    expect(body.emoji).toEqual(emoji);
    expect(await listed()).toContainEqual(body.emoji);
    const picture = await emojiPicture(server, body.emoji.url);
    expect(picture.status).toBe(200);
    expect(picture.headers.get("content-type")).toBe("image/webp");
    expect(picture.headers.get("x-content-type-options")).toBe("nosniff");
    expect(picture.headers.get("cache-control")).toBe("public, max-age=31536000, s-maxage=300, immutable");
    expect(picture.headers.get("content-security-policy")).toContain("sandbox");
    expect(Buffer.from(picture.bytes).includes(hidden)).toBe(false);
    expect((await new Bun.Image(picture.bytes).metadata()).width).toBe(128);
    const again = { "if-none-match": picture.headers.get("etag") ?? "" };
    expect((await emojiPicture(server, body.emoji.url, again)).status).toBe(304);
    const old = await emojiPicture(server, "/api/emoji/party_parrot/picture?v=old");
    expect([old.status, old.headers.get("cache-control")]).toEqual([200, "public, no-cache"]);
  });

  test("a small picture keeps its size, and a GIF its frames, without comments and foreign data", async () => {
    const ann = await server.newUser();
    expect((await addEmoji(ann, "tiny-one", png(20, 10))).body.emoji).toMatchObject({ width: 20, height: 10 });
    const { body } = await addEmoji(ann, "wave2", VALID_GIFS.animated ?? stillGif());
    expect(body.emoji).toMatchObject({ mime_type: "image/gif", is_animated: true, width: 8, height: 8 });
    const noted = await addEmoji(ann, "noted", Buffer.concat([stillGif(4, 4, "who made it"), Buffer.from("<script>")]));
    expect(noted.body.emoji).toMatchObject({ is_animated: false });
    const { bytes, headers } = await emojiPicture(server, noted.body.emoji.url);
    expect(headers.get("content-type")).toBe("image/gif");
    expect(Buffer.from(bytes).includes("who made it")).toBe(false);
    expect(Buffer.from(bytes).includes("<script>")).toBe(false);
  });

  test("the list has an ETag that changes with it", async () => {
    const ann = await server.newUser();
    const ask = (etag = "") => fetch(`${server.url}/api/emoji`, { headers: { "if-none-match": etag } });
    const first = await ask();
    const etag = first.headers.get("etag") ?? "";
    expect((await ask(etag)).status).toBe(304);
    await addEmoji(ann, "later", stillGif(3, 3));
    const changed = await ask(etag);
    expect([changed.status, changed.headers.get("etag") === etag]).toEqual([200, false]);
    expect(((await changed.json()) as { emoji: { name: string }[] }).emoji.map(({ name }) => name)).toContain("later");
  });

  test("names have a form, and none is that of another emoji, of Unicode or of the server", async () => {
    const ann = await server.newUser();
    const bad = ["", "x", "A_b", "päpagei", "a b", ":a_b:", "_ab", "-ab", "a".repeat(33), "a/b", "a.b", "a+b", "ab\n"];
    for (const name of [...bad, undefined])
      expectError(await addEmoji(ann, name, stillGif()), 400, "invalid_emoji_name");
    for (const name of ["tada", "thumbsup", "heart", "like", "laugh", "stuck-out-tongue"])
      expectError(await addEmoji(ann, name, stillGif()), 409, "emoji_exists");
    expect(isStandardName("stuck_out_tongue")).toBe(true);
    expect((await addEmoji(ann, "my_team", stillGif())).status).toBe(201);
    for (const name of ["my_team", "my-team"])
      expectError(await addEmoji(await server.newUser(), name, png(4, 4)), 409, "emoji_exists");
    expect((await namesOf()).filter((name) => name.startsWith("my"))).toEqual(["my_team"]);
  });

  test("only who added it and moderators delete an emoji, which the log records; guests and agents neither add nor delete", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const moderator = await staff(server, "emoji-moderator", 1);
    for (const name of ["anns_one", "anns_two"]) expect((await addEmoji(ann, name, stillGif())).status).toBe(201);
    expectError(await ben.delete("/api/emoji/anns_one"), 403, "forbidden");
    expectError(await server.guest.delete("/api/emoji/anns_one"), 401, "session_required");
    expectError(await addEmoji(server.guest, "guests", stillGif()), 401, "session_required");
    const agent = await server.agent("Adder");
    expectError(await addEmoji(agent, "agents", stillGif()), 401, "session_required");
    expectError(await ann.delete("/api/emoji/nothing"), 404, "emoji_not_found");
    expect((await ann.delete("/api/emoji/anns_one")).body).toMatchObject({ success: true, name: "anns_one" });
    expect((await moderator.delete("/api/emoji/anns_two")).status).toBe(200);
    expect(await namesOf()).not.toContain("anns_one");
    expectError(await server.guest.get("/api/emoji/anns_one/picture"), 404, "emoji_not_found");
    expect((await auditLines(server)).filter((line) => line.includes("emoji:"))).toEqual([
      "emoji-moderator emoji_delete emoji:anns_two",
    ]);
    const files = await server.ctx.db.selectFrom("emoji_files").select("emoji_id").execute();
    expect(files).toHaveLength((await listed()).length);
  });

  test("people and agents react with an emoji by its name, and it stays a name after the emoji is deleted", async () => {
    const ann = await server.newUser();
    const { id: room } = await newChannel(ann);
    await addEmoji(ann, "shipit_x", stillGif());
    const message_id = (await ann.post("/api/messages", { channel_id: room, content: "Done :shipit_x:" })).body
      .message_id;
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_id: room });
    await socket.command("reaction:add", { message_id, reaction: "shipit_x" });
    const { apiKey } = await server.agent("Reactor");
    await using mcp = await currentClient(server.url, apiKey, "auto");
    const tools = await mcp.call("list_emoji", {});
    expect(tools.body.names).toContain("shipit_x");
    expect((await mcp.call("react", { message_id, reaction: "shipit_x" })).isError).not.toBe(true);
    const shown = async () => (await ann.get(`/api/messages?channel_id=${room}&ids=${message_id}`)).body.messages[0];
    expect(await shown()).toMatchObject({
      content: "Done :shipit_x:",
      reactions: [{ reaction: "shipit_x", count: 2, me: true }],
    });
    await ann.delete("/api/emoji/shipit_x");
    expect((await shown()).reactions).toEqual([{ reaction: "shipit_x", count: 2, me: true }]);
    expect((await ann.delete(`/api/messages/${message_id}/reactions/shipit_x`)).body.reactions).toEqual([
      { reaction: "shipit_x", count: 1, me: false },
    ]);
  });
});

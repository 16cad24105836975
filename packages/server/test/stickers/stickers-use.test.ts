import { describe, expect, test } from "bun:test";
import { createOwner } from "../../src/channels/newcomers.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif } from "../support/gifs.ts";
import { logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { newSticker, uploaded } from "../support/stickers.ts";

/** Listing, viewing and deleting stickers over HTTP. */
const server = await forAllTests(startTestServer());
const [ann, bob, agent] = [await server.user("ann"), await server.user("bob"), await server.agent("helper")];

let marks = 0;
const sticker = (client = ann) => newSticker(client, stillGif(2, 3, `use ${++marks}`));

describe("GET /api/stickers", () => {
  test("returns the user's own stickers without a name and anybody's by name, to every caller", async () => {
    const carl = await server.user("Carl");
    const [first, second] = [await sticker(carl), await sticker(carl)];
    const expected = { success: true, username: "Carl", stickers: [first, second] };
    expect((await carl.get("/api/stickers")).body).toEqual(expected);
    for (const client of [server.guest, bob, carl, agent])
      expect((await client.get("/api/stickers?username=carl")).body).toEqual(expected);
    expect((await bob.get("/api/stickers")).body).toEqual({ success: true, username: "bob", stickers: [] });
  });

  test("requires the name of an existing user from callers who are not users", async () => {
    for (const client of [server.guest, agent])
      expectError(await client.get("/api/stickers"), 400, "username_required");
    expectError(await ann.get("/api/stickers?username="), 400, "username_required");
    expectError(await ann.get("/api/stickers?username=nobody"), 404, "user_not_found");
    expectError(await ann.get("/api/stickers?username=helper"), 404, "user_not_found");
    expectError(await ann.get("/api/stickers?username=%00"), 400, "invalid_request");
  });
});

describe("GET /api/stickers/:sticker_id/file", () => {
  test("returns the GIF itself, cacheable for ever, and only as an image", async () => {
    const { url } = await sticker();
    const { status, headers, bytes } = await uploaded(server.url, url);
    expect(status).toBe(200);
    expect(bytes).toEqual(stillGif(2, 3, `use ${marks}`));
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/gif",
      "cache-control": "public, max-age=31536000, s-maxage=300, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await uploaded(server.url, url, { "if-none-match": tag });
      expect([again.status, again.bytes.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
    }
    expect((await uploaded(server.url, url, { "if-none-match": '"other"' })).status).toBe(200);
    const head = await server.guest.send("HEAD", url);
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "image/gif"]);
    // With a session too, because a picture is not a secret of its reader.
    expect((await ann.get(url)).headers.get("cache-control")).toBe("public, max-age=31536000, s-maxage=300, immutable");
  });

  test("answers 404 for an unknown sticker", async () => {
    expectError(await ann.get("/api/stickers/99999/file"), 404, "sticker_not_found");
    expectError(await ann.get("/api/stickers/x/file"), 400, "invalid_id");
  });
});

test("guests who cannot read see no stickers", async () => {
  await using closed = await startTestServer({ guestRead: false });
  const dora = await closed.user("dora");
  const { url } = await sticker(dora);
  for (const path of ["/api/stickers?username=dora", "/api/stickers", url])
    expectError(await closed.guest.get(path), 401, "session_required");
  expect((await dora.get(url)).headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
});

describe("DELETE /api/stickers/:sticker_id", () => {
  test("removes the sticker from the list; the bytes remain, and the same GIF can be uploaded again", async () => {
    const emma = await server.user("emma");
    const { sticker_id, url } = await sticker(emma);
    const answer = await emma.delete(`/api/stickers/${sticker_id}`);
    expect(answer).toMatchObject({ status: 200, body: { success: true, message: expect.any(String), sticker_id } });
    expect((await emma.get("/api/stickers")).body.stickers).toEqual([]);
    expect((await uploaded(server.url, url)).status).toBe(200);
    expectError(await emma.delete(`/api/stickers/${sticker_id}`), 404, "sticker_not_found");
    expect((await newSticker(emma, stillGif(2, 3, `use ${marks}`))).sticker_id).not.toBe(sticker_id);
  });

  test("answers 404 for another user's sticker, except for moderators, whose act is audited", async () => {
    const { sticker_id } = await sticker();
    const path = `/api/stickers/${sticker_id}`;
    expectError(await bob.delete(path), 404, "sticker_not_found");
    expectError(await bob.delete("/api/stickers/99999"), 404, "sticker_not_found");
    expectError(await bob.delete("/api/stickers/0"), 400, "invalid_id");
    for (const client of [server.guest, agent]) expectError(await client.delete(path), 401, "session_required");
    await createOwner(server.ctx, "the-owner", PASSWORD);
    const owner = await logIn(server.url, "the-owner");
    expect((await owner.delete(path)).status).toBe(200);
    const lines = await server.ctx.db
      .selectFrom("audit_log")
      .select(["actor", "subject", "details"])
      .where("action", "=", "sticker_delete")
      .execute();
    expect(lines).toEqual([{ actor: "the-owner", subject: `sticker:${sticker_id}`, details: '{"username":"ann"}' }]);
  });
});

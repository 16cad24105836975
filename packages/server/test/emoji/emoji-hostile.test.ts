import { expect, test } from "bun:test";
import { EMOJI_BYTES, EMOJI_GIF_BYTES } from "@parley/protocol/emoji-limits";
import { eachDatabase } from "../support/databases.ts";
import { addEmoji, emojiForm } from "../support/emoji.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { comment, frame, header, hugeGif, stillGif, TRAILER } from "../support/gifs.ts";
import { png } from "../support/pngs.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** A PNG that says it is larger than its pixels are. */
function claiming(width: number, height: number): Buffer {
  const bytes = png(8, 8);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
const HOSTILE: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["an SVG", SVG],
  ["a page", Buffer.from("<!doctype html><script>alert(1)</script>")],
  ["the first bytes of a PNG, then a page", Buffer.concat([png(4, 4).subarray(0, 8), SVG])],
  ["a PNG of 60,000 x 60,000 pixels", claiming(60_000, 60_000)],
  ["a PNG without pixels", claiming(0, 8)],
  ["a PNG that is larger than its pixels", claiming(2_000, 2_000)],
  ["a PNG that is too large", png(2_049, 10)],
  ["a PNG that is cut off", png(64, 64, { noise: true }).subarray(0, 2_000)],
  ["a GIF with too many frames", hugeGif(121, 8)],
  ["a GIF with too many pixels", hugeGif(70, 256)],
  ["a GIF that is too large", stillGif(257, 10)],
  ["a GIF with too many bytes", Buffer.concat([stillGif(), Buffer.alloc(EMOJI_GIF_BYTES)])],
  ["a GIF without an end", stillGif(4, 4).subarray(0, -1)],
  [
    "a GIF with a frame outside of it",
    Uint8Array.from([...header(2, 2), ...frame({ width: 9, height: 9 }), ...TRAILER]),
  ],
  ["a comment and no frame", Uint8Array.from([...header(2, 2), ...comment("x"), ...TRAILER])],
];

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const stored = async () => (await server.ctx.db.selectFrom("emoji").select("name").execute()).map(({ name }) => name);

  test.each(HOSTILE)("%s is refused, and nothing of it is stored", async (_, bytes) => {
    const ann = await server.newUser();
    const before = await stored();
    expectError(await addEmoji(ann, "bad_one", bytes, "cat.png"), 400, "invalid_emoji_picture");
    expect(await stored()).toEqual(before);
  });

  test("too many bytes, an empty file and no file are refused", async () => {
    const ann = await server.newUser();
    expectError(await addEmoji(ann, "bad_two", Buffer.alloc(EMOJI_BYTES + 1)), 413, "file_too_large");
    expect((await addEmoji(ann, "bad_two", Buffer.alloc(0))).status).toBe(400);
    const form = new FormData();
    form.set("name", "bad_two");
    expectError(await ann.post("/api/emoji", undefined, { raw: form }), 400, "file_required");
    expect(await stored()).not.toContain("bad_two");
  });

  test("of many who add an emoji of one name at once, one does, and a full server takes none", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => server.newUser()));
    const add = (who: Client, n: number) => addEmoji(who, n % 2 === 0 ? "same_one" : "same-one", stillGif(n + 1, 1));
    const answers = await Promise.all(people.map(add));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectError(answer, 409, "emoji_exists");

    const rows = Array.from({ length: 1_000 - (await stored()).length - 1 }, (_, n) => ({
      name: `full_${n}`,
      name_key: `full_${n}`,
      user_id: null,
      mime_type: "image/gif" as const,
      etag: '"x"',
      size_bytes: 1,
      width: 1,
      height: 1,
      is_animated: 0 as const,
      created_at: 0,
    }));
    for (let from = 0; from < rows.length; from += 500)
      await server.ctx.db
        .insertInto("emoji")
        .values(rows.slice(from, from + 500))
        .execute();
    const late = await Promise.all(people.map((who, n) => addEmoji(who, `late_${n}`, stillGif(1, n + 1))));
    expect(late.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of late.filter(({ status }) => status !== 201)) {
      expectError(answer, 409, "emoji_limit_reached");
      expect(answer.body.details).toEqual({ of: "server", limit: 1_000 });
    }
  });

  test("a repetition with the same key answers the same, and adds nothing", async () => {
    await server.ctx.db.deleteFrom("emoji").execute();
    const ann = await server.newUser();
    const send = () =>
      ann.send("POST", "/api/emoji", {
        raw: emojiForm("once_x", stillGif()),
        headers: { "idempotency-key": "emoji-once" },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body.emoji).toEqual(first.body.emoji);
    expect(await stored()).toEqual(["once_x"]);
  });
});

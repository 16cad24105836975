import { expect, test } from "bun:test";
import { STICKERS_PER_USER } from "@parley/protocol/limits";
import { code, user } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { stillGif } from "../../test/support/gifs.ts";
import type { AppContext } from "../context.ts";
import { AppError } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import {
  deleteSticker,
  listStickers,
  readStickerFile,
  stickerName,
  stickerToSend,
  sweepStickers,
  uploadSticker,
} from "./stickers.service.ts";

const HOUR = 3_600_000;
const never = () => false;

eachDatabase((_, open) => {
  const upload = (ctx: AppContext, caller: UserIdentity, mark = "", name?: string) =>
    uploadSticker(ctx, caller, { name: "wave.gif", bytes: stillGif(2, 3, mark) }, name);
  const rows = (ctx: AppContext) => ctx.db.selectFrom("stickers").select("id").execute();

  test("a sticker is stored with its bytes, and a user's same bytes are the same sticker", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const first = await upload(ctx, ann);
    expect(first.sticker).toEqual({
      sticker_id: first.sticker.sticker_id,
      sticker_name: "wave",
      username: "ann",
      url: `/api/stickers/${first.sticker.sticker_id}/file`,
      mime_type: "image/gif",
      size_bytes: stillGif(2, 3).length,
      width: 2,
      height: 3,
      frame_count: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await upload(ctx, ann, "", "another name")).toEqual({ sticker: first.sticker, created: false });
    const other = await upload(ctx, bob);
    expect(other).toMatchObject({ created: true, sticker: { username: "bob" } });
    expect(await listStickers(ctx, bob, "ANN")).toEqual({ username: "ann", stickers: [first.sticker] });
    const { bytes, etag } = await readStickerFile(ctx, bob, first.sticker.sticker_id, never);
    expect(Buffer.from(bytes ?? [])).toEqual(Buffer.from(stillGif(2, 3)));
    expect(await readStickerFile(ctx, bob, other.sticker.sticker_id, (known) => known === etag)).toEqual({
      etag,
      bytes: null,
    });
  });

  test("the same bytes uploaded at once are one sticker", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ann = await user(ctx, "ann");
    for (const mark of ["first", "second"]) {
      const all = await Promise.all(Array.from({ length: 6 }, () => upload(ctx, ann, mark)));
      expect(new Set(all.map(({ sticker }) => sticker.sticker_id)).size).toBe(1);
      expect(all.filter(({ created }) => created)).toHaveLength(1);
    }
    expect(await rows(ctx)).toHaveLength(2);
  });

  test("a user can have 100 stickers, exactly, and a deleted one makes room", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ann = await user(ctx, "ann");
    for (let made = 0; made < STICKERS_PER_USER - 1; made += 1) await upload(ctx, ann, `s${made}`);
    const last = await Promise.allSettled([upload(ctx, ann, "x"), upload(ctx, ann, "y"), upload(ctx, ann, "z")]);
    expect(last.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(last.find(({ status }) => status === "rejected")).toMatchObject({ reason: code("sticker_limit_reached") });
    // An existing sticker does not count against the limit.
    expect(await upload(ctx, ann, "s1")).toMatchObject({ created: false });
    const { stickers } = await listStickers(ctx, ann, undefined);
    expect(stickers).toHaveLength(STICKERS_PER_USER);
    expect(stickers.map(({ sticker_id }) => sticker_id)).toEqual(
      stickers.map(({ sticker_id }) => sticker_id).toSorted((a, b) => a - b),
    );
    await deleteSticker(ctx, ann, stickers[0]?.sticker_id ?? 0);
    expect(await upload(ctx, ann, "room again")).toMatchObject({ created: true });
  });

  test("a deleted sticker cannot be sent or listed, keeps its bytes, and is deleted once", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob, mod] = [await user(ctx, "ann"), await user(ctx, "bob"), await user(ctx, "mod", 1)];
    const { sticker } = await upload(ctx, ann);
    const id = sticker.sticker_id;
    expect(await stickerToSend(ctx, id)).toEqual(sticker);
    await expect(deleteSticker(ctx, bob, id)).rejects.toEqual(code("sticker_not_found"));
    const both = await Promise.allSettled([deleteSticker(ctx, ann, id), deleteSticker(ctx, mod, id)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(stickerToSend(ctx, id)).rejects.toEqual(code("sticker_not_found"));
    expect((await listStickers(ctx, ann, undefined)).stickers).toEqual([]);
    expect((await readStickerFile(ctx, bob, id, never)).bytes).not.toBeNull();
    const again = await upload(ctx, ann);
    expect(again).toMatchObject({ created: true });
    expect(again.sticker.sticker_id).not.toBe(id);
  });

  test("the sweep removes stickers that were deleted an hour ago unless a message shows them", async () => {
    const clock = stillClock();
    await using database = await open(clock);
    const ctx = testContext(database, { clock });
    const ann = await user(ctx, "ann");
    const made = [];
    for (const mark of ["kept", "shown", "unused"]) made.push((await upload(ctx, ann, mark)).sticker.sticker_id);
    const [kept = 0, shown = 0, unused = 0] = made;
    await ctx.db
      .insertInto("messages")
      .values({
        channel_id: 1,
        seq: 1,
        type: "sticker",
        content: "",
        sender_type: "user",
        sender_name: "ann",
        sticker_id: shown,
        created_at: clock.now(),
      })
      .execute();
    await deleteSticker(ctx, ann, shown);
    await deleteSticker(ctx, ann, unused);
    clock.advance(HOUR - 1);
    await sweepStickers(ctx);
    expect(await rows(ctx)).toHaveLength(3);
    clock.advance(2);
    await sweepStickers(ctx);
    expect((await rows(ctx)).map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([kept, shown]);
    expect(await ctx.db.selectFrom("sticker_files").select("sticker_id").orderBy("sticker_id").execute()).toEqual([
      { sticker_id: kept },
      { sticker_id: shown },
    ]);
    await expect(readStickerFile(ctx, ann, unused, never)).rejects.toEqual(code("sticker_not_found"));
    await ctx.db.updateTable("messages").set({ sticker_id: null }).execute();
    await sweepStickers(ctx);
    expect((await rows(ctx)).map(({ id }) => id)).toEqual([kept]);
  });
});

test.each([
  ["Party parrot", "x.gif", "Party parrot"],
  ["  trimmed  ", "x.gif", "trimmed"],
  ["👩‍👩‍👧‍👦", "x.gif", "👩‍👩‍👧‍👦"],
  ["x".repeat(32), "x.gif", "x".repeat(32)],
  [undefined, "parrot.gif", "parrot"],
  ["", "parrot.gif", "parrot"],
  [" \t ", "parrot.gif", "parrot"],
  [undefined, "C:\\Users\\ann\\parrot.GIF", "parrot"],
  [undefined, "/home/ann/cool.parrot.gif", "cool.parrot"],
  [undefined, "../../etc/passwd", "passwd"],
  [undefined, "no ending", "no ending"],
  [undefined, "a\u0000b\u202ec\n.gif", "abc"],
  [undefined, `${"😀".repeat(40)}.gif`, "😀".repeat(32)],
  [undefined, `${"x".repeat(31)} y.gif`, "x".repeat(31)],
  [undefined, "x\ud800.gif", "x\ufffd"],
  [undefined, ".gif", "sticker"],
  [undefined, "", "sticker"],
  [undefined, " .gif", "sticker"],
])("the name %j for the file %j becomes %j", (given, file, name) => expect(stickerName(given, file)).toBe(name));

test.each(["x".repeat(33), "😀".repeat(33), "a\u0007b", "a\nb", "a\u2028b", "\u202egnp"])(
  "%j is not a valid sticker name",
  (given) => {
    try {
      stickerName(given, "x.gif");
      expect().fail("it is taken");
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: "invalid_request", details: [{ path: "sticker_name" }] });
    }
  },
);

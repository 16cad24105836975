import { expect, test } from "bun:test";
import { AppError } from "../errors.ts";
import { stickerName } from "./sticker-name.ts";

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

import { describe, expect, test } from "bun:test";
import { AVATAR_BYTES, AVATAR_SIDE, GIF_FRAMES, GIF_PIXELS } from "@parley/protocol/limits";
import fc from "fast-check";
import { mutatedGifs } from "../../../test/support/fuzz/gif-mutations.ts";
import { hugeGif } from "../../../test/support/gifs.ts";
import { png } from "../../../test/support/pngs.ts";
import { lookOf, turnedPicture, UPRIGHT } from "../../../test/support/turned-pictures.ts";
import type { AppContext } from "../../context.ts";
import { walkGif } from "../../media/gif.ts";
import { inPictureTurn, readAvatar } from "./avatars.ts";

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const refused = (act: Promise<unknown>) => act.then(() => undefined).catch((error) => error.code);

const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

describe("readAvatar", () => {
  test.each(["png", "jpeg", "webp"] as const)(
    "recognizes a %s by its content and keeps its size and kind",
    async (format) => {
      const bytes = await new Bun.Image(png(30, 20))[format]().bytes();
      const avatar = await readAvatar(`data:text/html;base64,${base64(bytes)}`);
      expect(avatar.mimeType).toBe(`image/${format}`);
      expect(await new Bun.Image(avatar.bytes).metadata()).toEqual({ width: 30, height: 20, format });
      expect(avatar.etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
      expect((await readAvatar(base64(bytes))).etag).toBe(avatar.etag);
    },
  );

  test("removes texts, locations and data hidden behind the picture", async () => {
    const secret = "52.5200 N 13.4050 E";
    const input = Buffer.concat([png(8, 8, { text: secret }), Buffer.from(`<script>${secret}</script>`)]);
    expect(input.includes(secret)).toBe(true);
    expect(Buffer.from((await readAvatar(base64(input))).bytes).includes(secret)).toBe(false);

    const jpeg = Buffer.from(await new Bun.Image(png(8, 8)).jpeg().bytes());
    const exif = Buffer.from(`\xff\xe1\x00\x00Exif\0\0${secret}`, "latin1");
    exif.writeUInt16BE(exif.length - 2, 2);
    const photo = Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
    expect(photo.includes(secret)).toBe(true);
    const avatar = await readAvatar(base64(photo));
    expect(avatar.mimeType).toBe("image/jpeg");
    expect(Buffer.from(avatar.bytes).includes("Exif")).toBe(false);
    expect(Buffer.from(avatar.bytes).includes(secret)).toBe(false);

    const commented = Buffer.from(GIF, "base64");
    const gif = Buffer.concat([
      commented.subarray(0, 19),
      Buffer.from([0x21, 0xfe, 3, 1, 2, 3, 0]),
      commented.subarray(19),
    ]);
    expect(await readAvatar(base64(gif))).toMatchObject({ mimeType: "image/gif", bytes: commented });
  });

  test.each(["png", "webp"] as const)("turns a %s upright, whatever its orientation", async (format) => {
    for (const [orientation, look] of UPRIGHT) {
      const { bytes } = await readAvatar(base64(await turnedPicture(format, orientation)));
      expect([orientation, await lookOf(bytes)]).toEqual([orientation, look]);
    }
  });

  test("allows 1024 pixels a side but not 1025, whatever the file claims to be", async () => {
    expect((await readAvatar(base64(png(1024, 1024)))).mimeType).toBe("image/png");
    expect(await refused(readAvatar(base64(png(1025, 10))))).toBe("invalid_avatar");
    expect(await refused(readAvatar(base64(png(10, 1025))))).toBe("invalid_avatar");
    expect(await refused(readAvatar(base64(png(60_000, 60_000).subarray(0, 900))))).toBe("invalid_avatar");
    const wide = Buffer.from(GIF, "base64");
    wide.writeUInt16LE(2_000, 6);
    expect(await refused(readAvatar(base64(wide)))).toBe("invalid_avatar");
  });

  test("refuses more than 256 KiB, and keeps an allowed picture small that would grow", async () => {
    expect(await refused(readAvatar(base64(new Uint8Array(AVATAR_BYTES + 1))))).toBe("avatar_too_large");
    const noisy = png(500, 500, { noise: true });
    expect(noisy.length).toBeLessThan(AVATAR_BYTES);
    const avatar = await readAvatar(base64(noisy));
    expect(avatar.bytes.length).toBeLessThanOrEqual(AVATAR_BYTES);
    expect(await new Bun.Image(avatar.bytes).metadata()).toMatchObject({ width: 500, height: 500 });
  });

  test.each([
    "",
    "data:image/png;base64,",
    "not base64!",
    "AAAAA",
    "data:image/png,AAAA",
    base64(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")),
    base64(Buffer.from("BM".padEnd(60, "\0"))),
    base64(png(8, 8).subarray(0, 700)),
    base64(png(8, 8).subarray(0, 60)),
  ])("refuses %.30s, which is not a picture", async (text) => {
    expect(await refused(readAvatar(text))).toBe("invalid_avatar");
  });

  test("accepts an animated GIF unless it is a burden for viewers", async () => {
    expect((await readAvatar(base64(hugeGif(15, 1024)))).mimeType).toBe("image/gif");
    expect(await refused(readAvatar(base64(hugeGif(16, 1024))))).toBe("invalid_avatar");
    expect((await readAvatar(base64(hugeGif(120, 16)))).mimeType).toBe("image/gif");
    expect(await refused(readAvatar(base64(hugeGif(121, 16))))).toBe("invalid_avatar");
  });

  test("turns each of 5,000 mutated GIFs into a whole GIF or refuses it", async () => {
    let whole = 0;
    const limits = { side: AVATAR_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS };
    await fc.assert(
      fc.asyncProperty(mutatedGifs(), async (gif) => {
        const result = await readAvatar(base64(gif)).catch((error) => error.code);
        if (typeof result === "string") return expect(result).toBe("invalid_avatar");
        whole += 1;
        expect(result.mimeType).toBe("image/gif");
        expect(walkGif(result.bytes, limits)).toMatchObject({ outcome: "whole", end: result.bytes.length });
      }),
      { numRuns: 5_000, seed: 9 },
    );
    expect(whole).toBeGreaterThan(250);
  });

  test.each(["png", "jpeg", "webp"] as const)(
    "turns a %s with flipped bits into a picture of an allowed size or refuses it",
    async (format) => {
      const good = Buffer.from(await new Bun.Image(png(40, 30))[format]().bytes());
      for (let at = 0; at < good.length; at += Math.ceil(good.length / 200)) {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] ?? 0) ^ (1 << (at & 7));
        const result = await readAvatar(base64(bad)).catch((error) => error.code);
        if (typeof result === "string") expect(result).toBe("invalid_avatar");
        else expect((await new Bun.Image(result.bytes).metadata()).width).toBeLessThanOrEqual(AVATAR_SIDE);
      }
    },
  );
});

function start() {
  const lengths: number[] = [];
  const ctx = { slots: new Map(), metrics: { pictureQueueIs: (length: number) => lengths.push(length) } };
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  /** Resolves with the user's number, or with the error code. */
  const decode = (user: number): Promise<number | string> => {
    const act = () =>
      new Promise<number>((resolve) => {
        begun.push(user);
        ends.push(() => resolve(user));
      });
    return inPictureTurn(Object.assign(ctx, { root: ctx }) as unknown as AppContext, user, act).catch(
      (error) => error.code,
    );
  };
  return { decode, begun, ends, lengths };
}

test("one picture is decoded at a time, in order of arrival", async () => {
  const { decode, begun, ends, lengths } = start();
  const all = [1, 2, 3].map(decode);
  expect(begun).toEqual([1]);
  for (const [at, done] of all.entries()) {
    ends[at]?.();
    expect(await done).toBe(at + 1);
  }
  expect(begun).toEqual([1, 2, 3]);
  expect(Math.max(...lengths)).toBe(3);
  expect(lengths.at(-1)).toBe(0);
});

test("an account has one picture in the queue, so other accounts wait for only one of it", async () => {
  const { decode, begun, ends } = start();
  const [first, second, other] = [decode(1), decode(1), decode(2)];
  expect(await second).toBe("rate_limited");
  ends[0]?.();
  expect(await first).toBe(1);
  expect(begun).toEqual([1, 2]);
  ends[1]?.();
  expect(await other).toBe(2);
  const again = decode(1);
  ends[2]?.();
  expect(await again).toBe(1);
});

test("a picture is refused when many are waiting", async () => {
  const { decode, ends } = start();
  const all = Array.from({ length: 17 }, (_, user) => decode(user));
  expect(await decode(100)).toBe("overloaded");
  for (const [at, done] of all.entries()) {
    ends[at]?.();
    expect(await done).toBe(at);
  }
});

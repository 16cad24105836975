import { expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import fc from "fast-check";
import { forAllTests } from "../support/for-all-tests.ts";
import { mutatedGifs } from "../support/fuzz/gif-mutations.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { form, uploaded } from "../support/stickers.ts";

/** Any upload: a sticker or a known refusal, never a 5xx. A failure prints its seed. */
const server = await forAllTests(startTestServer({ rateLimits: "off" }));

const REFUSALS: readonly ErrorCode[] = [
  "not_a_gif",
  "gif_limits",
  "file_required",
  "file_too_large",
  "invalid_request",
];

test("600 mutated GIFs in complete forms are returned unchanged if they are accepted", async () => {
  const ann = await server.user("ann");
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(mutatedGifs(), async (gif) => {
      const { status, body } = await ann.post("/api/stickers/upload", undefined, { raw: form(gif) });
      count(body.code ?? `${status}`);
      if (status >= 400) {
        expect(REFUSALS).toContain(body.code);
        expect(status).toBe(ERRORS[body.code as ErrorCode][0]);
        return;
      }
      expect([200, 201]).toContain(status);
      expect((await uploaded(server.url, body.sticker.url)).bytes).toEqual(gif);
      await ann.delete(`/api/stickers/${body.sticker_id}`);
    }),
    { numRuns: 600, seed: 11, endOnFailure: true },
  );
  expect(seen.get("201") ?? 0).toBeGreaterThan(30);
  expect(seen.get("not_a_gif") ?? 0).toBeGreaterThan(200);
});

test("400 broken forms are refused without an internal error", async () => {
  const bea = await server.user("bea");
  const gif = Buffer.from(
    await new Response(form(Uint8Array.from([0x47, 0x49, 0x46]), { name: "x" })).text(),
    "latin1",
  );
  const boundary = gif.toString("latin1").slice(2, gif.indexOf("\r\n"));
  const change = fc.tuple(fc.nat({ max: gif.length }), fc.uint8Array({ maxLength: 5 }), fc.nat({ max: 30 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let body: Buffer = gif;
      for (const [at, bytes, gone] of changes)
        body = Buffer.concat([body.subarray(0, at), bytes, body.subarray(at + gone)]);
      const answer = await bea.post("/api/stickers/upload", undefined, {
        raw: Uint8Array.from(body),
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      });
      expect(REFUSALS).toContain(answer.body.code);
    }),
    { numRuns: 400, seed: 12, endOnFailure: true },
  );
  expect((await server.guest.get("/livez")).status).toBe(200);
});

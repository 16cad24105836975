import { describe, expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { bytesOf, frame, header, hugeGif, stillGif, TRAILER, VALID_GIFS } from "../support/gifs.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { form, uploaded } from "../support/stickers.ts";

const server = await forAllTests(startTestServer());
const [ann, bob, agent] = [await server.user("ann"), await server.user("bob"), await server.agent("helper")];

const PATH = "/api/stickers/upload";
const send = (raw: FormData | string | Uint8Array, headers: Record<string, string> = {}, client = ann) =>
  client.post(PATH, undefined, { raw, headers });
let marks = 0;
/** A GIF that nobody has uploaded yet. */
const fresh = (): Uint8Array<ArrayBuffer> => stillGif(2, 3, `mark ${++marks}`);
const MULTIPART = { "content-type": "multipart/form-data; boundary=XX" };
const filePart = (content: string): string =>
  `--XX\r\nContent-Disposition: form-data; name="file"; filename="a.gif"\r\n\r\n${content}\r\n`;

describe("POST /api/stickers/upload", () => {
  test("returns the sticker, and the same one for a repeated upload", async () => {
    const gif = fresh();
    const answer = await send(form(gif, { fileName: "wave.gif" }));
    expect(answer.status).toBe(201);
    const { sticker_id } = answer.body;
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      sticker_id,
      sticker: {
        sticker_id,
        sticker_name: "wave",
        username: "ann",
        url: `/api/stickers/${sticker_id}/file`,
        mime_type: "image/gif",
        size_bytes: gif.length,
        width: 2,
        height: 3,
        frame_count: 1,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    const again = await send(form(gif, { name: "other" }));
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...answer.body, message: expect.any(String), deduplicated: true });
    expect((await send(form(gif), {}, bob)).status).toBe(201);
  });

  test.each(Object.entries(VALID_GIFS))("accepts a GIF: %s", async (_, gif) => {
    const answer = await send(form(gif));
    expect(answer.status).toBe(201);
    const { bytes } = await uploaded(server.url, answer.body.sticker.url);
    expect(bytes).toEqual(gif);
  });

  test("uses the given name, and ignores a blank one", async () => {
    expect((await send(form(fresh(), { name: " Große Welle 👋 " }))).body.sticker.sticker_name).toBe("Große Welle 👋");
    expect((await send(form(fresh(), { name: " ", fileName: "C:\\x\\y.gif" }))).body.sticker.sticker_name).toBe("y");
    for (const name of ["x".repeat(33), "a\u0007", "a\u0000b"])
      expectError(await send(form(fresh(), { name })), 400, "invalid_request");
  });

  test("creates one sticker for two uploads at the same time", async () => {
    const gif = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(form(gif))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.sticker_id)).size).toBe(1);
  });

  test("compares the form for an Idempotency-Key, not its boundary", async () => {
    const key = { "idempotency-key": "sticker-key-1" };
    const gif = fresh();
    const first = await send(form(gif), key);
    expect(first.status).toBe(201);
    await ann.delete(`/api/stickers/${first.body.sticker_id}`);
    expect(await send(form(gif), key)).toMatchObject({ status: 200, body: { ...first.body, deduplicated: true } });
    expectError(await send(form(fresh()), key), 409, "idempotency_conflict");
    expectError(await send(form(gif, { name: "other" }), key), 409, "idempotency_conflict");
    expectError(await send(form(gif), { "idempotency-key": "short" }), 400, "idempotency_key_invalid");
  });

  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", "base64");
  test.each<[string, number, string, Uint8Array<ArrayBuffer>]>([
    ["a PNG", 415, "not_a_gif", Uint8Array.from(png)],
    ["half a GIF", 415, "not_a_gif", stillGif(9, 9).slice(0, 40)],
    ["no frame", 415, "not_a_gif", bytesOf(header(1, 1), TRAILER)],
    [
      "a frame outside the canvas",
      415,
      "not_a_gif",
      bytesOf(header(2, 2), frame({ width: 2, height: 2, left: 1 }), TRAILER),
    ],
    ["bytes after the trailer", 415, "not_a_gif", bytesOf([...stillGif()], [0])],
    ["two GIFs in one", 415, "not_a_gif", bytesOf([...stillGif()], [...stillGif()])],
    ["513 pixels", 422, "gif_limits", stillGif(513, 1)],
    ["121 frames", 422, "gif_limits", hugeGif(121, 1)],
    ["16 million pixels", 422, "gif_limits", hugeGif(62)],
    ["one byte more than 512 KiB", 413, "file_too_large", new Uint8Array(512 * 1024 + 1)],
    ["512 KiB of zeros", 415, "not_a_gif", new Uint8Array(512 * 1024)],
  ])("answers %s with %i %s", async (_, status, code, file) => expectError(await send(form(file)), status, code));

  test("refuses a form without a file", async () => {
    const empty = new FormData();
    empty.set("sticker_name", "x");
    expectError(await send(empty), 400, "file_required");
    expectError(await send(form(new Uint8Array(), { fileName: "" })), 400, "file_required");
    expectError(await send("--XX--\r\n", MULTIPART), 400, "file_required");
  });

  test.each<[string, string | Uint8Array]>([
    [
      "with a name that is not UTF-8",
      Buffer.from(
        `--XX\r\nContent-Disposition: form-data; name="sticker_name"\r\n\r\nGr\xfc\xdfe\r\n${filePart("GIF89a")}--XX--`,
        "latin1",
      ),
    ],
    ["without an end", filePart("GIF89a")],
    ["cut in the middle", filePart("GIF89a").slice(0, 30)],
    ["that is not one", "hello"],
    ["with two files", `${filePart("a")}${filePart("b")}--XX--`],
    [
      "with a forbidden name",
      `--XX\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n${filePart("a")}--XX--`,
    ],
    ["without parts", ""],
  ])("refuses a form %s as malformed", async (_, raw) =>
    expectError(await send(raw, MULTIPART), 400, "invalid_request"),
  );

  test("refuses fields that cannot be written, and ignores unknown ones", async () => {
    const wrong = form(fresh());
    wrong.set("sticker_id", "7");
    expectError(await send(wrong), 400, "field_not_writable");
    const odd = form(fresh());
    odd.set("colour", "blue");
    expect((await send(odd)).status).toBe(201);
  });

  test.each<[string, Record<string, string>]>([
    ["JSON", { "content-type": "application/json" }],
    ["a bare GIF", { "content-type": "image/gif" }],
    ["a compressed form", { ...MULTIPART, "content-encoding": "gzip" }],
  ])("refuses %s, which is not a form", async (_, headers) => {
    const answer = await send(`${filePart("GIF89a")}--XX--`, headers);
    expectError(answer, 415, "unsupported_media_type");
    if (headers["content-encoding"] === undefined) expect(answer.body.error).toContain("multipart/form-data");
  });

  test("refuses a form without a boundary as malformed", async () =>
    expectError(await send("x", { "content-type": "multipart/form-data" }), 400, "invalid_request"));

  test("refuses more than 640 KiB of body, declared or not", async () => {
    const limit = 640 * 1024;
    expectError(await send(new Uint8Array(limit + 1), MULTIPART), 413, "body_too_large");
    // Without a length, the body is cut off at the limit.
    const chunked = async (bytes: number) => {
      let left = bytes;
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          const size = Math.min(left, 16_384);
          left -= size;
          sent += size;
          if (size === 0) controller.close();
          else controller.enqueue(new Uint8Array(size));
        },
      });
      const response = await fetch(server.url + PATH, {
        method: "POST",
        body,
        headers: { ...ann.credential, ...MULTIPART },
      });
      return { status: response.status, code: ((await response.json()) as { code: string }).code, sent };
    };
    expect(await chunked(limit)).toMatchObject({ status: 400, code: "invalid_request" });
    const cut = await chunked(100 * limit);
    expect(cut).toMatchObject({ status: 413, code: "body_too_large" });
    expect(cut.sent).toBeLessThan(4 * limit);
  });

  test("treats an incomplete body as nobody's error", async () => {
    using socket = await RawHttp.open(server.url);
    const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncookie: ${ann.credential.cookie}\r\ncontent-type: ${MULTIPART["content-type"]}\r\n`;
    socket.tcp.write(`${head}content-length: 9000\r\n\r\n${filePart("GIF")}`);
    socket.tcp.end();
    expect((await server.guest.get("/livez")).status).toBe(200);
  });

  test("refuses guests and agents before reading a byte", async () => {
    expectError(await send("junk", { "content-type": "text/plain" }, server.guest), 401, "session_required");
    expectError(await send(form(fresh()), {}, agent), 401, "session_required");
    expectError(await send(form(fresh()), { origin: "https://evil.example" }), 403, "cross_site");
  });

  test("accepts 20 a minute in production, and refuses the 21st before reading its body", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
    const client = await strict.user("ann");
    const junk = () => send("junk", { "content-type": "text/plain" }, client);
    for (let n = 0; n < 20; n += 1) expectError(await junk(), 415, "unsupported_media_type");
    const refused = await junk();
    expectError(refused, 429, "rate_limited");
    expect(refused.headers.get("ratelimit-policy")).toBe('"uploads";q=20;w=60');
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // A picture in the profile is an upload, too.
    const put = await client.put("/api/user/ann", { avatar: Buffer.from(stillGif()).toString("base64") });
    expectError(put, 429, "rate_limited");
  });

  test("accepts 100 per user", async () => {
    const cleo = await server.user("cleo");
    for (let n = 0; n < 100; n += 1) expect((await send(form(fresh()), {}, cleo)).status).toBe(201);
    expectError(await send(form(fresh()), {}, cleo), 409, "sticker_limit_reached");
    const { stickers } = (await cleo.get("/api/stickers")).body;
    expect(stickers).toHaveLength(100);
  });
});

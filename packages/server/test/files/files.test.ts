import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { keyOf } from "../../src/files/blobs.store.ts";
import { fileStorage } from "../../src/files/storage/open-storage.ts";
import { sweepFiles } from "../../src/files/sweep.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif } from "../support/gifs.ts";
import { png } from "../support/pngs.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";
import { lookOf, turnedPicture, UPRIGHT } from "../support/turned-pictures.ts";

const form = (bytes: Uint8Array | string, name = "a.txt", type = "", altText?: string): FormData => {
  const body = new FormData();
  body.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name);
  if (altText !== undefined) body.set("alt_text", altText);
  return body;
};

/** Files over real HTTP, on every database (protocol §13.2). */
eachDatabase(async (_, open) => {
  let now = Date.parse("2026-11-24T00:00:00Z");
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob, agent] = [await server.user("ann"), await server.user("bob"), await server.agent("helper")];

  const upload = (bytes: Uint8Array | string, name?: string, { client = ann, type = "" } = {}) =>
    client.post("/api/files", undefined, { raw: form(bytes, name, type) });
  const uploaded = async (bytes: Uint8Array | string, name?: string, options = {}) => {
    const answer = await upload(bytes, name, options);
    expect(answer.status).toBe(201);
    return answer.body.file;
  };
  const sent = async (fileId: number, more: object = {}) => {
    const answer = await ann.post("/api/messages", { channel_slug: "general", file_ids: [fileId], ...more });
    expect(answer.status).toBe(201);
    return answer.body.chat_message;
  };
  const raw = (path: string, { client = ann as Client | null, headers = {}, method = "GET" } = {}) =>
    fetch(`${server.url}${path}`, { method, headers: { ...(client === null ? {} : client.credential), ...headers } });

  describe("POST /api/files", () => {
    test("stores the bytes and returns their record", async () => {
      const answer = await ann.post("/api/files", undefined, {
        raw: form("Hello\n", "a/b\\notes‮.txt", "text/plain", "Notes"),
      });
      expect(answer.status).toBe(201);
      expect(answer.body.file).toMatchObject({
        name: "notes.txt",
        mime_type: "text/plain",
        size_bytes: 6,
        sha256: createHash("sha256").update("Hello\n").digest("hex"),
        alt_text: "Notes",
        status: "ready",
        preview_url: null,
        username: "ann",
        agent_name: null,
      });
    });

    test("takes the same file from an agent", async () => {
      expect(await uploaded("a,b\n1,2\n", "t.csv", { client: agent })).toMatchObject({
        username: null,
        mime_type: "text/plain",
      });
    });

    test.each([
      ["an HTML page", "<!doctype html><script>alert(1)</script>", "a.html"],
      ["a page called text", "<html><body>", "a.txt"],
      ["an SVG", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "a.svg"],
      ["a PDF", "%PDF-1.7\n1 0 obj", "a.pdf"],
      ["a PDF behind a script", "alert(1)//\n%PDF-1.7", "a.js"],
      ["text with NUL", "a\0b", "a.txt"],
      ["something that only begins as a GIF", "GIF89a/*<script>*/=1;", "a.gif"],
      ["random bytes", randomBytes(1_000), "a.bin"],
    ])("serves %s as bytes that no page shows", async (_, bytes, name) => {
      const file = await uploaded(bytes, name);
      expect(file.mime_type).toBe("application/octet-stream");
      const answer = await raw(file.url);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-disposition")).toStartWith("attachment;");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    });

    test("cuts what hides in a picture", async () => {
      const gif = Buffer.concat([stillGif(600, 2, "secret"), Buffer.from("<script>alert(1)</script>")]);
      const file = await uploaded(gif, "x.gif");
      expect(file).toMatchObject({ mime_type: "image/gif", width: 600, height: 2 });
      const bytes = Buffer.from(await (await raw(file.url)).arrayBuffer());
      expect(bytes.includes("script")).toBe(false);
      expect(bytes.includes("secret")).toBe(false);
      for (const size of [480, 1280]) {
        const preview = await raw(`${file.preview_url}?size=${size}`);
        expect(preview.status).toBe(200);
        expect(preview.headers.get("content-type")).toBe("image/webp");
      }
    });

    test("turns a photo upright and removes its Exif data", async () => {
      const jpeg = Buffer.from(
        await new Bun.Image(await new Bun.Image(stillGif(60, 40, "p")).png().bytes()).jpeg().bytes(),
      );
      const exif = Buffer.from(
        "457869660000" + "49492a0008000000" + "0100" + "1201" + "0300" + "01000000" + "06000000" + "00000000",
        "hex",
      );
      const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
      const file = await uploaded(Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]), "photo.jpg");
      expect(file).toMatchObject({ mime_type: "image/jpeg", width: 40, height: 60 });
      expect(Buffer.from(await (await raw(file.url)).arrayBuffer()).includes("Exif")).toBe(false);
    });

    test.each(["png", "webp"] as const)("turns a %s upright, whatever its orientation", async (format) => {
      for (const [orientation, look] of UPRIGHT) {
        const file = await uploaded(await turnedPicture(format, orientation), `photo.${format}`);
        expect(`${orientation} ${await lookOf(await (await raw(file.url)).bytes())}`).toBe(`${orientation} ${look}`);
      }
    });

    test("refuses a bomb, nothing, an empty file and a foreign form", async () => {
      const bomb = Buffer.from(stillGif(1, 1, "b"));
      bomb.writeUInt16LE(65_000, 6);
      bomb.writeUInt16LE(65_000, 8);
      expectError(await upload(bomb, "b.gif"), 422, "image_limits");
      expectError(await upload(png(8_001, 8_001), "b.png"), 422, "image_limits");
      expectError(await upload("", "a.txt"), 400, "empty_file");
      expectError(await ann.post("/api/files", undefined, { raw: new FormData() }), 400, "file_required");
      expectError(await ann.post("/api/files", { a: 1 }), 415, "unsupported_media_type");
      expectError(await upload(new Uint8Array(25 * 1024 * 1024 + 1)), 413, "file_too_large");
    });

    test("leaves nothing of an upload that is cut", async () => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      const head = Object.entries(ann.credential)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
      socket.write(
        `POST /api/files HTTP/1.1\r\nHost: ${hostname}\r\n${head}Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: 100000\r\n\r\n--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc`,
      );
      const incoming = join(server.ctx.config.dataDir, "files", "incoming");
      while (readdirSync(incoming).length === 0) await new Promise(setImmediate);
      socket.destroy();
      while (readdirSync(incoming).length > 0) await new Promise(setImmediate);
    });
  });

  describe("GET /api/files/:file_id", () => {
    test("shows an unsent file to its uploader alone, and a sent one to the readers of the message", async () => {
      const file = await uploaded("mine");
      expect((await raw(file.url)).status).toBe(200);
      expectError(await bob.get(file.url), 404, "file_not_found");
      expect((await raw(file.url, { client: null })).status).toBe(404);
      await sent(file.file_id);
      for (const client of [ann, bob, agent, null]) expect((await raw(file.url, { client })).status).toBe(200);
    });

    test("joins 1,000 ranges to the whole file", async () => {
      const bytes = randomBytes(10_000);
      const file = await uploaded(bytes, "r.bin");
      const parts: Buffer[] = [];
      for (let n = 0; n < 1_000; n++) {
        const part = await raw(file.url, { headers: { range: `bytes=${n * 10}-${n * 10 + 9}` } });
        expect(part.status).toBe(206);
        expect(part.headers.get("content-range")).toBe(`bytes ${n * 10}-${n * 10 + 9}/10000`);
        parts.push(Buffer.from(await part.arrayBuffer()));
      }
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      const statusOf = async (range: string) => (await raw(file.url, { headers: { range } })).status;
      expect(await Promise.all(["bytes=10000-", "bytes=0-1,5-6", "bytes=-5", "lines=1-2"].map(statusOf))).toEqual([
        416, 200, 206, 200,
      ]);
      const far = ["9007199254740993-", `${"9".repeat(40)}-`, "0-9007199254740993", `-${"9".repeat(40)}`];
      expect(await Promise.all(far.map((range) => statusOf(`bytes=${range}`)))).toEqual([416, 416, 206, 206]);
      const etag = (await raw(file.url)).headers.get("etag") ?? "";
      expect((await raw(file.url, { headers: { "if-none-match": etag } })).status).toBe(304);
      const head = await raw(file.url, { method: "HEAD" });
      expect([head.status, head.headers.get("content-length")]).toEqual([200, "10000"]);
    });

    test("ends the access with the message, and the bytes soon after", async () => {
      const file = await uploaded("gone soon", "g.txt");
      const message = await sent(file.file_id, { content: "look" });
      expect((await raw(file.url, { client: bob })).status).toBe(200);
      await ann.delete(`/api/messages/${message.id}`);
      for (const client of [ann, bob]) expectError(await client.get(file.url), 404, "file_not_found");
      const key = await keyOf(server.ctx.db, file.sha256);
      expect(await fileStorage(server.ctx).size(key)).toBe(9);
      now = server.ctx.clock.now() + 120_000;
      await sweepFiles({ ...server.ctx, clock: { ...server.ctx.clock, now: () => now } } as typeof server.ctx);
      expect(await fileStorage(server.ctx).size(key)).toBeNull();
      // The same bytes can be stored again.
      const again = await uploaded("gone soon", "g.txt");
      expect(await (await raw(again.url)).text()).toBe("gone soon");
    });

    test("a removed member gets 404 for an old URL", async () => {
      const channel = (await ann.post("/api/channels", { name: "Secret", is_private: true })).body.channel;
      await ann.put(`/api/channels/${channel.id}/members/bob`, { role: "member" });
      const file = await uploaded("inside");
      expect((await ann.post("/api/messages", { channel_id: channel.id, file_ids: [file.file_id] })).status).toBe(201);
      expect((await raw(file.url, { client: bob })).status).toBe(200);
      await ann.delete(`/api/channels/${channel.id}/members/bob`);
      expectError(await bob.get(file.url), 404, "file_not_found");
    });
  });

  describe("sending files", () => {
    test("gives a file to one of two messages", async () => {
      const file = await uploaded("one");
      const body = { channel_slug: "general", file_ids: [file.file_id] };
      const answers = await Promise.all([ann.post("/api/messages", body), ann.post("/api/messages", body)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      expectError(answers.find(({ status }) => status === 409) as never, 409, "file_already_sent");
      expectError(await ann.delete(`/api/files/${file.file_id}`), 409, "file_already_sent");
    });

    test("returns the first message to a retry", async () => {
      const file = await uploaded("again");
      const body = { channel_slug: "general", file_ids: [file.file_id], client_msg_id: "retry-files-1" };
      const [first, second] = [await ann.post("/api/messages", body), await ann.post("/api/messages", body)];
      expect([first.status, second.status]).toEqual([201, 200]);
      expect(second.body.message_id).toBe(first.body.message_id);
      expect(first.body.chat_message).toMatchObject({
        type: "text",
        content: "",
        files: [{ file_id: file.file_id, expires_at: null }],
      });
    });

    test("refuses files of others, absent ones, and deleted ones", async () => {
      const file = await uploaded("hers");
      const body = { channel_slug: "general", file_ids: [file.file_id] };
      expectError(await bob.post("/api/messages", body), 404, "file_not_found");
      expect((await ann.delete(`/api/files/${file.file_id}`)).status).toBe(200);
      expectError(await ann.post("/api/messages", body), 404, "file_not_found");
    });

    test("shows an agent what was sent, with hidden characters made visible, as data of its sender", async () => {
      const answer = await ann.post("/api/files", undefined, {
        raw: form("a,b", 'q"1.csv', "text/csv", "Sales\u202e"),
      });
      const { file_id } = answer.body.file;
      await sent(file_id);
      const { body } = await agent.get("/api/agenthub/messages?channel_slug=general&format=context&limit=1");
      expect(body.rendered).toContain(
        `(file "q\\"1.csv" text/plain 3 bytes described as "Sales⟨U+202E⟩" at /api/files/${file_id})`,
      );
    });

    test("lists the files of a channel", async () => {
      const file = await uploaded(stillGif(9, 9, "gallery"), "g.gif");
      const message = await sent(file.file_id);
      const { body } = await bob.get(`/api/channels/${message.channel_id}/files?kind=image&limit=1`);
      expect(body).toMatchObject({
        files: [
          { file_id: file.file_id, message_id: message.id, seq: message.seq, sender: { kind: "user", name: "ann" } },
        ],
      });
    });
  });
});

test("a server that takes some types refuses others, whatever their names and senders say", async () => {
  await using other = await startTestServer({ fileTypes: ["image/*", "text/plain"] });
  const cy = await other.user("cy");
  const sent = (...args: Parameters<typeof form>) => cy.post("/api/files", undefined, { raw: form(...args) });
  for (const [bytes, found] of [
    [randomBytes(64), "application/octet-stream"],
    ["<!doctype html><p>", "text/html"],
    ["%PDF-1.7\n", "application/pdf"],
    ["<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"],
  ] as const) {
    const answer = await sent(bytes, "a.png", "image/png");
    // An SVG is a picture, so this setting takes it; it is served as mere bytes.
    if (found === "image/svg+xml") expect(answer.body.file.mime_type).toBe("application/octet-stream");
    else expect(answer).toMatchObject({ status: 415, body: { code: "type_not_allowed", details: { type: found } } });
  }
  expect((await sent("plain", "a.exe")).body.file.mime_type).toBe("text/plain");
  expect(readdirSync(join(other.ctx.config.dataDir, "files", "incoming"))).toEqual([]);
});

test("a quota of 0 refuses every upload", async () => {
  await using other = await startTestServer({ fileQuotaMib: 0 });
  const cy = await other.user("cy");
  expectError(await cy.post("/api/files", undefined, { raw: form("x") }), 409, "quota_reached");
  expect(await other.ctx.metrics.render()).toContain('parley_file_refusals_total{code="quota_reached"} 1');
});

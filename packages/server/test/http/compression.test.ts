import { expect, test } from "bun:test";
import { brotliDecompressSync } from "node:zlib";
import { gunzipSync } from "bun";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const PAGE = "/api/messages?channel_slug=general";

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const ann = await server.user("ann");

/** Returns an answer as it is on the wire. */
async function wire(path: string, accepted: string, method = "GET") {
  const headers = { "accept-encoding": accepted };
  const response = await fetch(server.url + path, { method, headers, decompress: false });
  const bytes = await response.bytes();
  const encoding = response.headers.get("content-encoding");
  return { headers: response.headers, bytes, encoding };
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(gunzipSync(Buffer.from(bytes)));
const send = (content: string) => ann.post("/api/messages", { channel_slug: "general", content });

test("a short answer is not compressed", async () => {
  const short = await wire("/api", "gzip");
  expect(short.encoding).toBeNull();
});

test("a page of messages is compressed for clients that accept it, and is the same page", async () => {
  for (let n = 0; n < 20; n++) await send(`message ${n}: ${"the same words again ".repeat(5)}`);
  const plain = await wire(PAGE, "identity");
  expect(plain.encoding).toBeNull();
  const packed = await wire(PAGE, "br, gzip;q=0.5");
  expect(packed.encoding).toBe("gzip");
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
  expect(textOf(packed.bytes)).toBe(new TextDecoder().decode(plain.bytes));
  for (const { headers, bytes } of [plain, packed]) {
    expect(headers.get("vary")).toBe("accept-encoding");
    expect(headers.get("content-length")).toBe(String(bytes.length));
  }
});

test("a compressed page shows a message sent since", async () => {
  await wire(PAGE, "gzip");
  await send("the newest of all");
  expect(textOf((await wire(PAGE, "gzip")).bytes)).toContain("the newest of all");
});

test("a page above 256 KiB is sent in pieces, without its length", async () => {
  for (let n = 0; n < 70; n++) expect((await send(String(n % 10).repeat(4_000))).status).toBe(201);
  const large = await wire(`${PAGE}&limit=70`, "identity");
  expect(large.bytes.length).toBeGreaterThan(256 * 1024);
  expect(large.headers.get("content-length")).toBeNull();
  expect(JSON.parse(new TextDecoder().decode(large.bytes)).messages).toHaveLength(70);
  const head = await wire(`${PAGE}&limit=70`, "identity", "HEAD");
  expect(head.headers.get("content-length")).toBe(String(large.bytes.length));
});

test("a client that refuses gzip gets none, and HEAD describes the plain page", async () => {
  for (const refused of ["gzip;q=0", "gzip; q=0.0, br", "br", "x-gzipped", ""])
    expect((await wire(PAGE, refused)).encoding).toBeNull();
  const head = await wire(PAGE, "gzip", "HEAD");
  expect([head.encoding, head.bytes.length]).toEqual([null, 0]);
});

test("a large document is compressed as a whole", async () => {
  const plain = await wire("/api/openapi.json", "identity");
  const packed = await wire("/api/openapi.json", "gzip");
  expect(plain.bytes.length).toBeGreaterThan(256 * 1024);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5);
  expect(textOf(packed.bytes)).toBe(new TextDecoder().decode(plain.bytes));
});

test("the page's files are compressed with the best encoding that the client accepts", async () => {
  const [script = ""] = /\/assets\/app-[^"]+\.js/.exec((await server.guest.get("/")).body) ?? [];
  const plain = await wire(script, "identity");
  const packed = await wire(script, "gzip");
  const best = await wire(script, "gzip, deflate, br, zstd");
  expect([plain.encoding, packed.encoding, best.encoding]).toEqual([null, "gzip", "br"]);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  expect(best.bytes.length).toBeLessThan(packed.bytes.length);
  expect(brotliDecompressSync(best.bytes).equals(plain.bytes)).toBe(true);
});

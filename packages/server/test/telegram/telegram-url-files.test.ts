import { afterAll, expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { png } from "../support/pngs.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** Protocol §15.5: files that a bot names by an address, which the server fetches. */
const server = await forAllTests(
  startTestServer({ rateLimits: "off", agentLoopLimit: 0, egressAllow: ["127.0.0.1"], fileMaxMib: 64 }),
);
const ann = await server.user("ann");
const bot = await testBot(server, "Fetcher");
const chat_id = -1_000_000_000_001;
const MIB = 1024 * 1024;

const picture = new Uint8Array(png(7, 5));
const site = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/moved.png") return Response.redirect("/a%20b.png", 302);
    if (pathname === "/large.bin") return new Response(new Uint8Array(20 * MIB + 1));
    if (pathname === "/whole.bin") return new Response(new Uint8Array(20 * MIB));
    return pathname.endsWith(".png") || pathname === "/"
      ? new Response(picture)
      : new Response("nothing", { status: 404 });
  },
});
afterAll(() => site.stop(true));
const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;
const files = async (messageId: number) =>
  (await ann.get(`/api/messages?channel_slug=general&ids=${messageId}`)).body.messages[0].files;

test("a photo at an address is fetched, stored and sent with its name", async () => {
  const sent = await bot.ask("sendPhoto", { chat_id, photo: at("/a%20b.png"), caption: "look" });
  expect(sent).toMatchObject({ caption: "look", photo: [expect.any(Object), { width: 7, height: 5 }] });
  expect(await files(sent.message_id)).toMatchObject([{ name: "a b.png", mime_type: "image/png" }]);
  const nameless = await bot.ask("sendDocument", { chat_id, document: at("/") });
  expect(await files(nameless.message_id)).toMatchObject([{ name: "document" }]);
});

test("a group has files by address, by file_id and by upload, and all or none", async () => {
  const { document } = await bot.ask("sendDocument", { chat_id, document: at("/one.png") });
  const media = [
    { type: "photo", media: at("/two.png"), caption: "three" },
    { type: "document", media: document.file_id },
    { type: "photo", media: at("/three.png") },
  ];
  expect(await bot.ask("sendMediaGroup", { chat_id, media })).toHaveLength(3);
  const unsent = () => server.ctx.db.selectFrom("files").select("id").where("message_id", "is", null).execute();
  const refused = await bot.call("sendMediaGroup", { chat_id, media: [...media, { type: "photo", media: at("/no") }] });
  expect(refused.body.description).toBe("Bad Request: failed to get HTTP URL content");
  expect(await unsent()).toEqual([]);
});

test("20 MiB are the most", async () => {
  const large = await bot.call("sendDocument", { chat_id, document: at("/large.bin") });
  expect([large.status, large.body.description]).toEqual([413, "Request Entity Too Large"]);
  const whole = await bot.ask("sendDocument", { chat_id, document: at("/whole.bin") });
  expect(whole.document.file_size).toBe(20 * MIB);
});

test.each([
  ["http://10.0.0.1/a.png", "wrong HTTP URL specified: the address must be https"],
  ["https://10.0.0.1/a.png", "wrong HTTP URL specified: the address has an address that is not on the public internet"],
  [
    "https://169.254.169.254/",
    "wrong HTTP URL specified: the address has an address that is not on the public internet",
  ],
  ["https://[::1]/", "wrong HTTP URL specified: the address has an address that is not on the public internet"],
  ["https://ann:pw@example.org/", "wrong HTTP URL specified: the address must not contain a user name or password"],
  ["http://", "wrong HTTP URL specified: the address is not a URL"],
])("%s is refused", async (photo, reason) => {
  const { status, body } = await bot.call("sendPhoto", { chat_id, photo });
  expect([status, body.description]).toEqual([400, `Bad Request: ${reason}`]);
});

test("redirects are not followed, and a missing file is an error", async () => {
  for (const path of ["/moved.png", "/missing"]) {
    const { status, body } = await bot.call("sendPhoto", { chat_id, photo: at(path) });
    expect([path, status, body.description]).toEqual([path, 400, "Bad Request: failed to get HTTP URL content"]);
  }
});

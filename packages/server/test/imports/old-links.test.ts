import { expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import { FORMATS } from "../../src/imports/sources/formats.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

const STAGE = memoryStage({
  users: [sourceUser("U1")],
  channels: [
    sourceChannel("C1", { name: "harbour", memberIds: ["U1"] }),
    sourceChannel("G1", { name: "quiet", kind: "private", memberIds: ["U1"] }),
  ],
  messages: [
    sourceMessage("C1/1577836800.000100", { at: 1577836800000 }),
    sourceMessage("C1/1577836801.000000", { at: 1577836801000, threadId: "C1/1577836800.000100" }),
    sourceMessage("G1/1577836802.000000", { at: 1577836802000, channelId: "G1" }),
  ],
});
const ROOT = "https://acme.slack.com/archives/C1/p1577836800000100";
const REPLY = "https://acme.slack.com/archives/C1/p1577836801000000?thread_ts=1577836800.000100&cid=C1";
const PRIVATE = "https://acme.slack.com/archives/G1/p1577836802000000";

eachDatabase((_, open) => {
  test("old links lead to what the reader may read, on every road", async () => {
    await using server = await startTestServer({ rateLimits: "off" }, { database: await open() });
    const ann = await server.newUser();
    const found = async (who: Client, url: string) =>
      (await who.get(`/api/old-link?url=${encodeURIComponent(url)}`)).body;
    const { importId } = await writeImport(server.ctx, STAGE, { format: "slack", fingerprint: "f" });
    expectError(await ann.get(`/api/old-link?url=${encodeURIComponent(ROOT)}`), 404, "message_not_found");
    await openImport(server.ctx, importId);
    const root = await found(ann, ROOT);
    expect(root).toMatchObject({ success: true, channel_slug: "harbour", thread_root_id: null });
    const reply = await found(server.guest, REPLY);
    expect(reply).toMatchObject({ channel_slug: "harbour", thread_root_id: root.message_id });
    expect(reply.message_id).toBeGreaterThan(root.message_id);
    expect(await found(ann, "https://acme.slack.com/archives/C1")).toMatchObject({
      channel_slug: "harbour",
      message_id: null,
    });
    for (const url of [
      PRIVATE,
      "https://acme.slack.com/archives/C9/p1577836800000100",
      "https://example.org/",
      "archives/C1",
      "ftp://a/archives/C1",
    ])
      expectError(await ann.get(`/api/old-link?url=${encodeURIComponent(url)}`), 404, "message_not_found");
    expectError(await ann.get("/api/old-link"), 400, "invalid_request");

    const location = async (path: string) => {
      const response = await fetch(server.url + path, { redirect: "manual" });
      return [response.status, response.headers.get("location")];
    };
    const threaded = `/#/c/harbour/t/${root.message_id}/${reply.message_id}`;
    expect(await location("/archives/C1/p1577836800000100")).toEqual([302, `/#/c/harbour/${root.message_id}`]);
    expect(await location("/archives/C1/p1577836801000000?thread_ts=1577836800.000100")).toEqual([302, threaded]);
    expect(await location(`/old?url=${encodeURIComponent(REPLY)}`)).toEqual([302, threaded]);
    expect(await location(`/old?url=${encodeURIComponent(PRIVATE)}`)).toEqual([302, "/"]);
    expect(await location("/archives/C1")).toEqual([302, "/#/c/harbour"]);
    expect(await location("/archives/none/none")).toEqual([302, "/"]);
  });
});

test("a closed server answers nobody without an account", async () => {
  await using server = await startTestServer({ guestRead: false });
  expectError(await server.guest.get(`/api/old-link?url=${encodeURIComponent(ROOT)}`), 401, "session_required");
  const response = await fetch(`${server.url}/archives/C1/p1577836800000100`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([302, "/"]);
});

const ID = "1012224565567721552";
test.each([
  ["discord", `https://discord.com/channels/1/${ID}/${ID}`, null],
  ["discord", `https://discord.com/channels/${ID}/${ID}/${ID}`, { channelId: ID, messageId: ID }],
  ["discord", `https://discord.com/channels/@me/${ID}`, { channelId: ID, messageId: null }],
  ["zulip", "https://a.zulipchat.com/#narrow/stream/9-general/topic/tea/near/77", { channelId: "9", messageId: "77" }],
  ["zulip", "https://a.zulipchat.com/#narrow/channel/9-general", { channelId: "9", messageId: null }],
  ["zulip", "https://a.zulipchat.com/#narrow/dm/8,9-dm/near/78", { channelId: null, messageId: "78" }],
  ["rocketchat", "https://open.example/channel/general?msg=aBcD", { channelId: null, messageId: "aBcD" }],
  ["rocketchat", "https://open.example/channel/general", null],
  ["telegram", "https://t.me/c/1234/5/77", { channelId: "1234", messageId: "1234/77" }],
  ["telegram", "https://t.me/c/1234/77", { channelId: "1234", messageId: "1234/77" }],
  ["mattermost", "https://mm.example/acme/channels/town-square", { channelId: "acme/town-square", messageId: null }],
  ["mattermost", "https://mm.example/acme/pl/77", null],
  ["slack", "https://acme.slack.com/archives/C1", { channelId: "C1", messageId: null }],
] as const)("a link of %s: %s", (id, url, link) => {
  expect(FORMATS.find((format) => format.id === id)?.oldLink?.(new URL(url)) ?? null).toEqual(link);
});

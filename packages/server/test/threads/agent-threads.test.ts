import { expect, test } from "bun:test";
import type { ChatMessage } from "@parley/protocol/models";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say, sayId } from "../support/say.ts";
import { MCP_CLIENTS } from "../support/servers/mcp-clients.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** What an agent reads of a thread, and where it answers (protocol §5, §13.1). */

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const scout = await server.agent("Scout");
const root = await sayId(ann, "general", "The topic");
await say(ann, "general", "Elsewhere in the channel");
const question = await sayId(ann, "general", "@Scout what do you say?", { thread_root_id: root });

const read = (query: string) => scout.get(`/api/agenthub/messages?channel_slug=general&${query}`);
const ids = (messages: readonly ChatMessage[]) => messages.map(({ id }) => id);

test("an agent reads a thread alone, as records and as text for a model", async () => {
  const { body } = await read(`thread_root_id=${root}&format=context`);
  expect(ids(body.messages)).toEqual([root, question]);
  expect(body.messages[1]).toMatchObject({ thread_root_id: root, authority: "member" });
  expect(body.rendered).toContain("@Scout what do you say?");
  expect(body.rendered).toContain(`thread=${root}`);
  expect(body.rendered).not.toContain("Elsewhere");
  const [first, second] = body.messages;
  expect(ids((await read(`thread_root_id=${root}&after_seq=${first.seq}`)).body.messages)).toEqual([question]);
  expect(ids((await read(`thread_root_id=${root}&before=${second.id}`)).body.messages)).toEqual([root]);
});

test("a thread of another channel, a reply, and an offset are refused", async () => {
  const other = (await ann.post("/api/channels", { name: "Another" })).body.channel_slug;
  const elsewhere = `/api/agenthub/messages?channel_slug=${other}&thread_root_id=${root}`;
  expectError(await scout.get(elsewhere), 404, "message_not_found");
  expectError(await read("thread_root_id=999999"), 404, "message_not_found");
  expectError(await read(`thread_root_id=${question}`), 400, "not_a_thread_root");
  expectError(await read(`thread_root_id=${root}&offset=1`), 400, "invalid_cursor");
  expectError(await read("thread_root_id=x"), 400, "invalid_id");
});

test("over MCP an agent reads the thread of a mention and answers in it", async () => {
  await using mcp = await MCP_CLIENTS["sdk 1"](server.url, scout.apiKey);
  const inbox = await mcp.call("check_inbox");
  expect(inbox.text).toContain(`thread=${root}`);
  const page = await mcp.call("read_channel", { channel: "general", thread_root_id: root });
  expect(ids(page.body.messages)).toEqual([root, question]);
  const answer = { channel: "general", message: "I agree.", thread_root_id: root, also_in_channel: true };
  expect((await mcp.call("send_message", answer)).body.chat_message).toMatchObject({
    thread_root_id: root,
    also_in_channel: true,
  });
});

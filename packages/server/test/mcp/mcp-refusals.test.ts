import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { MCP_CLIENTS } from "../support/servers/mcp-clients.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer({ agentLoopLimit: 4 }));
const ann = await server.user("ann");
const scout = await server.agent("Scout");
const mcp = await forAllTests(MCP_CLIENTS["client 2 with revision 2026-07-28"](server.url, scout.apiKey));

/** Expects a tool to refuse with this code, in the form of every refusal. Returns the refusal. */
async function refused(name: string, args: Record<string, unknown>, code: string, client = mcp) {
  const { isError, body } = await client.call(name, args);
  expect([name, args, isError, body.code]).toEqual([name, args, true, code]);
  expect(body.error).toBeString();
  expect(body.retryable).toBeBoolean();
  expect(body.success).toBeUndefined();
  return body;
}

describe("arguments", () => {
  const long = "x".repeat(4_001);
  const cases: [tool: string, args: Record<string, unknown>, code: string][] = [
    ["whoami", { who: 1 }, "invalid_request"],
    ["check_inbox", { wait: 26 }, "invalid_request"],
    ["check_inbox", { wait: "5" }, "invalid_request"],
    ["check_inbox", { limit: 51 }, "invalid_limit"],
    ["check_inbox", { agent_name: " " }, "invalid_agent_name"],
    ["ack", {}, "invalid_request"],
    ["ack", { item_ids: [] }, "invalid_request"],
    ["ack", { item_ids: [0] }, "invalid_request"],
    ["list_channels", { limit: 0 }, "invalid_limit"],
    ["read_channel", {}, "channel_slug_required"],
    ["read_channel", { channel: "" }, "channel_slug_required"],
    ["read_channel", { channel: "general", limit: 51 }, "invalid_limit"],
    ["read_channel", { channel: "general", before: 0 }, "invalid_cursor"],
    ["read_channel", { channel: "general", after_seq: -1 }, "invalid_cursor"],
    ["search", {}, "query_required"],
    ["search", { query: "x".repeat(201) }, "invalid_query"],
    ["join_channel", {}, "channel_slug_required"],
    ["join_channel", { channel: "general", agent_name: "" }, "agent_name_required"],
    ["join_channel", { channel: "general", agent_name: "!" }, "invalid_agent_name"],
    ["leave_channel", { channel: "general", agent_name: "!" }, "invalid_agent_name"],
    ["react", { reaction: "like" }, "invalid_id"],
    ["react", { message_id: 1 }, "invalid_reaction"],
    ["react", { message_id: 1, reaction: "not a reaction" }, "invalid_reaction"],
    ["ask_people", { channel: "general", question: "x", options: [], who: { owner: true } }, "invalid_components"],
    ["check_answer", {}, "invalid_id"],
    ["check_answer", { interaction_id: 1_000_000 }, "interaction_not_found"],
    ["send_message", { message: "x" }, "channel_slug_required"],
    ["send_message", { channel: "general" }, "message_required"],
    ["send_message", { channel: "general", message: " " }, "message_required"],
    ["send_message", { channel: "general", message: long }, "message_too_long"],
    ["send_message", { channel: "general", message: "x", reply_to_id: "1" }, "invalid_request"],
  ];
  test.each(cases.map(([tool, args, code]) => [tool, JSON.stringify(args).slice(0, 60), code, args] as const))(
    "of %s such as %s are refused with %s",
    async (tool, _, code, args) => {
      await refused(tool, args, code);
    },
  );

  test("that no tool has are named, with the one that is meant", async () => {
    const { details } = await refused("read_channel", { channel: "general", limits: 5 }, "invalid_request");
    expect(details).toEqual([{ path: "limits", message: "is unknown; did you mean limit?" }]);
    expect((await ann.get("/api/messages?channel_slug=general")).body.messages).toEqual([]);
  });
});

test("what an agent may not read or join is refused as by REST", async () => {
  const locked = await newChannel(ann, { is_private: true, password: "open sesame" });
  const closed = await newChannel(ann, { is_private: true });
  const denied = await newChannel(ann, { agent_policy: "deny" });
  for (const tool of ["read_channel", "leave_channel"]) {
    await refused(tool, { channel: locked.slug }, "password_required");
    for (const channel of ["nowhere", closed.slug]) await refused(tool, { channel }, "channel_not_found");
  }
  await refused("search", { query: "x", channel: locked.slug }, "password_required");
  await refused("send_message", { channel: locked.slug, message: "x" }, "password_required");
  await refused("join_channel", { channel: locked.slug }, "password_required");
  await refused("join_channel", { channel: locked.slug, password: "wrong" }, "wrong_password");
  await refused("join_channel", { channel: denied.slug }, "agents_not_allowed");
  expect((await mcp.call("join_channel", { channel: locked.slug, password: "open sesame" })).isError).toBe(false);
  await ann.post(`/api/channels/${locked.id}/bans`, { agent_name: "Scout" });
  await refused("read_channel", { channel: locked.slug }, "password_required");
  await refused("join_channel", { channel: locked.slug, password: "open sesame" }, "banned");
});

test("what an agent may not send or give is refused as by REST", async () => {
  const denied = await newChannel(ann, { agent_policy: "deny" });
  const admins = await newChannel(ann, { post_policy: "admins" });
  const muted = await newChannel(ann);
  await ann.put(`/api/channels/${muted.id}/members/Scout`, { muted_until: "2100-01-01T00:00:00.000Z" });
  const send = (channel: string, more = {}) => ({ channel, message: "x", ...more });
  await refused("send_message", send(denied.slug), "agents_not_allowed");
  await refused("send_message", send(admins.slug), "post_policy");
  await refused("send_message", send(muted.slug), "muted");
  await refused("send_message", send("general", { reply_to_id: 1_000_000 }), "message_not_found");
  const id = await sayId(ann, muted.slug, "Hello");
  await refused("react", { message_id: id, reaction: "like" }, "muted");
  await refused("react", { message_id: 1_000_000, reaction: "like" }, "message_not_found");
  await ann.delete(`/api/messages/${id}`);
  await refused("react", { message_id: id, reaction: "like", remove: true }, "message_deleted");
});

test("a message that others have overtaken is refused with what was missed", async () => {
  const { slug } = await newChannel(ann);
  await say(ann, slug, "First");
  const { details } = await refused(
    "send_message",
    { channel: slug, message: "Late", expected_last_seq: 0 },
    "context_stale",
  );
  expect(JSON.stringify(details)).toContain("First");
});

test("a repeated client_msg_id is sent once, and another message under it is refused", async () => {
  const message = { channel: "general", message: "Only once", client_msg_id: "once-1" };
  const [first, again] = [await mcp.call("send_message", message), await mcp.call("send_message", message)];
  expect(again.body).toMatchObject({ message_id: first.body.message_id, deduplicated: true });
  expect(again.text).toContain("nothing was sent now");
  await refused("send_message", { ...message, message: "Something else" }, "idempotency_conflict");
});

test("the loop guard stops agents that speak by MCP", async () => {
  const other = await server.agent("Other");
  await using theirs = await MCP_CLIENTS["sdk 1"](server.url, other.apiKey);
  const { slug } = await newChannel(ann);
  for (const client of [mcp, theirs, mcp, theirs])
    expect((await client.call("send_message", { channel: slug, message: "and you?" })).isError).toBe(false);
  const refusal = await refused("send_message", { channel: slug, message: "more" }, "loop_guard_tripped");
  expect(refusal).toMatchObject({ retryable: false, details: { resets_at: expect.any(String) } });
});

describe("who speaks", () => {
  test("must be said by an agent without a name and by one with several, never PlatformAgent by omission", async () => {
    const nameless = await server.agent();
    await using theirs = await MCP_CLIENTS["client 2 with revision 2025-11-25"](server.url, nameless.apiKey);
    const message = { channel: "general", message: "Hi" };
    for (const [tool, args] of [
      ["send_message", message],
      ["join_channel", { channel: "general" }],
      ["leave_channel", { channel: "general" }],
    ] as const) {
      const { error } = await refused(tool, args, "agent_name_required", theirs);
      expect(error).toContain("the first use of a free name binds it");
    }
    expect((await theirs.call("whoami")).text).toContain("Names: none yet.");
    expect((await theirs.call("send_message", { ...message, agent_name: "Nova" })).body.agent_name).toBe("Nova");
    expect((await theirs.call("send_message", message)).body.agent_name).toBe("Nova");
    await theirs.call("send_message", { ...message, agent_name: "Vega" });
    const { error } = await refused("send_message", message, "agent_name_required", theirs);
    expect(error).toContain('"Nova", "Vega"');
    await refused("send_message", { ...message, agent_name: "Scout" }, "agent_name_taken", theirs);
    const elsewhere = { ...message, channel: (await newChannel(ann)).slug, agent_name: "nova" };
    expect((await theirs.call("send_message", elsewhere)).body.agent_name).toBe("Nova");
  });

  test("is nobody once the agent is paused or the key revoked", async () => {
    const gone = await server.agent("Gone");
    await using theirs = await MCP_CLIENTS["client 2 with revision 2026-07-28"](server.url, gone.apiKey);
    expect((await theirs.call("whoami")).isError).toBe(false);
    await gone.delete(`/api/agenthub/agent-api-key/${gone.keyId}`);
    await expect(theirs.call("whoami")).rejects.toThrow();
  });
});

import { describe, expect, test } from "bun:test";
import { countAgentStreams } from "../../src/agents/events/open-stream-limits.ts";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { currentClient, MCP_CLIENTS, type McpClient } from "../support/servers/mcp-clients.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const GENERAL = "parley://channel/general";

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const scout = await server.agent("Scout");
await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });

const uriOf = (slug: string) => `parley://channel/${slug}`;

/** Returns the text of the one content of a resource. */
async function textOf(mcp: McpClient, uri: string): Promise<string> {
  const { contents } = await mcp.raw.readResource({ uri });
  const [only] = contents;
  return only !== undefined && "text" in only ? (only.text as string) : "";
}

describe.each(Object.entries(MCP_CLIENTS))("with %s", (_, connect) => {
  test("an agent reads the channels it is in as resources", async () => {
    await using mcp = await connect(server.url, scout.apiKey);
    const { resources } = await mcp.raw.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([GENERAL, `${GENERAL}/pins`]);
    const { resourceTemplates } = await mcp.raw.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "parley://channel/{slug}",
      "parley://channel/{slug}/pins",
    ]);
    await say(ann, "general", "Read me as a resource");
    expect(await textOf(mcp, GENERAL)).toContain("Read me as a resource");
    expect(await textOf(mcp, `${GENERAL}/pins`)).not.toContain("Read me as a resource");
  });

  test("a resource that the agent may not read is refused with the code of REST", async () => {
    const { body } = await ann.post("/api/channels", {
      name: `Locked ${crypto.randomUUID().slice(0, 8)}`,
      is_private: true,
      password: "open sesame",
    });
    await using mcp = await connect(server.url, scout.apiKey);
    const refusal = await mcp.raw
      .readResource({ uri: `parley://channel/${body.channel_slug}` })
      .catch((error) => error);
    expect(refusal.data).toMatchObject({ code: "password_required", retryable: false });
    const unknown = await mcp.raw.readResource({ uri: "parley://channel/nowhere" }).catch((error) => error);
    expect(unknown.data).toMatchObject({ code: "channel_not_found" });
    for (const uri of ["parley://nothing", "file:///etc/passwd", "parley://channel/a/b"])
      await expect(mcp.raw.readResource({ uri })).rejects.toThrow();
  });

  test("a prompt carries the messages that it is about", async () => {
    await using mcp = await connect(server.url, scout.apiKey);
    const { prompts } = await mcp.raw.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("catch_up");
    await say(ann, "general", "We meet on Tuesday");
    const { messages } = await mcp.raw.getPrompt({ name: "catch_up", arguments: { channel: "general" } });
    expect(JSON.stringify(messages)).toContain("We meet on Tuesday");
    const refusal = await mcp.raw.getPrompt({ name: "catch_up", arguments: {} }).catch((error) => error);
    expect(refusal.data).toMatchObject({ code: "channel_slug_required" });
    await expect(mcp.raw.getPrompt({ name: "nothing" })).rejects.toThrow();
  });
});

describe("a subscription", () => {
  /** Listens to resources and collects the notifications. */
  async function listening(key: string, uris: string[]) {
    const mcp = await currentClient(server.url, key, "auto");
    if (!("listen" in mcp.raw)) throw new Error("not the current client");
    const told: string[] = [];
    mcp.raw.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
    const stream = await mcp.raw.listen({ resourceSubscriptions: uris });
    let isOver = false;
    void stream.closed.then(() => {
      isOver = true;
    });
    return { told, stream, isOver: () => isOver, [Symbol.asyncDispose]: () => mcp[Symbol.asyncDispose]() };
  }

  test("reports new messages, not pins, and leaves nothing when the client goes", async () => {
    const before = countAgentStreams(server.ctx);
    {
      await using at = await listening(scout.apiKey, [GENERAL, `${GENERAL}/pins`]);
      expect(countAgentStreams(server.ctx)).toBe(before + 1);
      await say(ann, "general", "Something new");
      await eventually("the notification", () => at.told.includes(GENERAL));
      expect(at.told).not.toContain(`${GENERAL}/pins`);
    }
    await eventually("the stream is gone", () => countAgentStreams(server.ctx) === before);
  });

  test("reports pins", async () => {
    const { body } = await ann.post("/api/channels", { name: "Pinned things" });
    const uri = `parley://channel/${body.channel_slug}/pins`;
    await using at = await listening(scout.apiKey, [uri]);
    const sent = await ann.post("/api/messages", { channel_slug: body.channel_slug, content: "Pin me" });
    await ann.post(`/api/messages/${sent.body.message_id}/pin`);
    await eventually("the notification", () => at.told.includes(uri));
    await using mcp = await currentClient(server.url, scout.apiKey, "auto");
    expect(await textOf(mcp, uri)).toContain("Pin me");
  });

  test("ends with the right to read one of its channels", async () => {
    const locked = await newChannel(ann, { is_private: true, password: "open sesame" });
    await scout.post("/api/agenthub/login", {
      channel_slug: locked.slug,
      agent_name: "Scout",
      password: "open sesame",
    });
    await using at = await listening(scout.apiKey, [GENERAL, uriOf(locked.slug)]);
    await ann.delete(`/api/channels/${locked.id}/members/Scout`);
    await eventually("the stream ends", at.isOver);
    expect(at.told).toEqual([]);
  });

  test("ends with the key", async () => {
    const other = await server.agent("Other");
    await using at = await listening(other.apiKey, [GENERAL]);
    await revokeKey(server.ctx, other.keyId);
    await eventually("the stream ends", at.isOver);
  });

  test("is refused for channels that the agent may not read, and for more than 20 resources", async () => {
    const refusal = (uris: string[]) => listening(scout.apiKey, uris).catch((error) => error.data);
    expect(await refusal(["parley://channel/nowhere"])).toMatchObject({ code: "channel_not_found", retryable: false });
    expect(await refusal(["parley://elsewhere"])).toMatchObject({ code: "invalid_request" });
    const many = Array.from({ length: 21 }, (_, n) => `parley://channel/c${n}`);
    expect(await refusal(many)).toMatchObject({ code: "too_many_sockets", retryable: true });
    const { slugs, held } = { slugs: [] as string[], held: [] as AsyncDisposable[] };
    for (let n = 0; n < 11; n++) slugs.push((await newChannel(ann)).slug);
    for (const slug of slugs.slice(0, 10))
      held.push(await listening(scout.apiKey, [uriOf(slug), `${uriOf(slug)}/pins`]));
    expect(await refusal([uriOf(slugs[10] ?? "")])).toMatchObject({ code: "too_many_sockets" });
    for (const each of held) await each[Symbol.asyncDispose]();
    await eventually("the places are free", () => countAgentStreams(server.ctx) === 0);
    await using again = await listening(scout.apiKey, [uriOf(slugs[10] ?? "")]);
    expect(again.isOver()).toBe(false);
  });

  test("of subscriptions at once, exactly as many begin as are permitted", async () => {
    const eager = await server.agent("Eager");
    const uri = uriOf((await newChannel(ann)).slug);
    const settled = await Promise.allSettled(Array.from({ length: 50 }, () => listening(eager.apiKey, [uri])));
    const begun = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const codes = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.data.code] : []));
    for (const each of begun) await each[Symbol.asyncDispose]();
    expect([begun.length, new Set(codes)]).toEqual([20, new Set(["too_many_sockets"])]);
    await eventually("the places are free", () => countAgentStreams(server.ctx) === 0);
  });
});

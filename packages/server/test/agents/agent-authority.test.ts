import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { setLevel, staff } from "../support/staff.ts";

/** Protocol §5: how messages tell an agent who speaks, over HTTP. */

const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }));
const ann = await server.user("ann");
const bob = await server.user("bob");
const helper = await server.agent("Helper");

const room = () => newChannel(ann, { is_private: false });

const read = (slug: string, query = "") => helper.get(`/api/agenthub/messages?channel_slug=${slug}${query}`);
const authorities = (messages: { authority?: string }[]) => messages.map(({ authority }) => authority);

describe("messages for an agent", () => {
  test("carry the authority of each speaker, in every format", async () => {
    const { id, slug } = await room();
    await say(ann, id, "*I* made this channel");
    await say(bob, id, "me not");
    await helper.post("/api/agenthub/send", { channel_slug: slug, message: "hello", agent_name: "Helper" });
    await setLevel(server, "bob", 2);
    const seen = ["channel_admin", "channel_admin", "self"];
    for (const format of ["json", "plain", "context"]) {
      const page = await read(slug, `&format=${format}`);
      expect(authorities(page.body.messages)).toEqual(seen);
    }
    await setLevel(server, "bob", null);
    const { rendered, omitted, messages } = (await read(slug, "&format=context")).body;
    expect(omitted).toBe(0);
    expect(authorities(messages)).toEqual(["channel_admin", "member", "self"]);
    for (const label of [
      'from=user:"ann" authority=channel_admin to_you=false',
      'from=user:"bob" authority=member to_you=false',
      'from=agent:"Helper" authority=self to_you=false',
    ]) {
      expect(rendered).toContain(label);
    }
  });

  test("of nobody else carry it", async () => {
    const { id } = await room();
    await say(ann, id, "hello");
    for (const who of [ann, helper, server.guest]) {
      const { messages } = (await who.get(`/api/messages?channel_id=${id}`)).body;
      expect(messages[0]).not.toHaveProperty("authority");
    }
  });

  test("that made a reply stale carry it", async () => {
    const { id, slug } = await room();
    const expected_last_seq = (await read(slug)).body.last_seq;
    await say(ann, id, "wait");
    const refused = await helper.post("/api/agenthub/send", { channel_slug: slug, message: "x", expected_last_seq });
    expect(refused).toMatchObject({ status: 409, body: { code: "context_stale", retryable: false } });
    const { messages, rendered } = refused.body.details;
    expect(authorities(messages)).toEqual(["channel_admin"]);
    expect(rendered).toContain('from=user:"ann" authority=channel_admin to_you=false>\nwait\n');
    await using mcp = await currentClient(server.url, helper.apiKey, "auto");
    const { isError, body } = await mcp.call("send_message", { channel: slug, message: "x", expected_last_seq });
    expect([isError, body.code, Object.keys(body.details).sort()]).toEqual([
      ...[true, "context_stale", ["last_seq", "rendered"]],
    ]);
  });
});

describe("max_chars", () => {
  test("leaves the oldest messages out of the text, and counts them", async () => {
    const { id, slug } = await room();
    for (let n = 1; n <= 8; n++) await say(bob, id, `${n} ${"x".repeat(400)}`);
    const { rendered, omitted, messages } = (await read(slug, "&format=context&max_chars=2500")).body;
    expect(messages).toHaveLength(8);
    expect(rendered.length).toBeLessThanOrEqual(2_500);
    expect(omitted).toBeGreaterThan(3);
    expect(rendered).toContain(`\n${omitted + 1} x`);
    expect(rendered).not.toContain(`\n${omitted} x`);
  });

  test.each(["1999", "100001", "many", "2e3.5"])("%p is refused", async (chars) => {
    for (const path of ["messages?channel_slug=general&", "mentions?"]) {
      const answer = await helper.get(`/api/agenthub/${path}format=context&max_chars=${chars}`);
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    }
  });

  test("never loses a mention: what does not fit stays pending", async () => {
    const { id } = await room();
    for (let n = 1; n <= 4; n++) await say(bob, id, `@Helper ${n} ${"x".repeat(1_000)}`);
    const numbers: number[] = [];
    for (let left = true; left; ) {
      const { body } = await helper.get("/api/agenthub/mentions?format=context&max_chars=3000");
      for (const [, n] of body.rendered.matchAll(/^@Helper (\d) x/gm)) numbers.push(Number(n));
      left = body.omitted > 0;
    }
    expect(numbers.toSorted()).toEqual([1, 2, 3, 4]);
    expect((await helper.get("/api/agenthub/mentions")).body.count).toBe(0);
  });
});

test("mentions carry the authority of their speaker", async () => {
  const { id } = await room();
  await say(ann, id, "@Helper hi");
  await say(bob, id, "@Helper hi");
  const { mentions, rendered } = (await helper.get("/api/agenthub/mentions?format=context")).body;
  expect(authorities(mentions)).toEqual(["channel_admin", "member"]);
  expect(mentions[1].rendered).toContain('from=user:"bob" authority=member to_you=true>');
  expect(rendered).toContain('from=user:"ann" authority=channel_admin to_you=true>');
});

test("nobody but its owner has authority over an agent in a direct conversation", async () => {
  const [root, agent] = [await staff(server, "rosa", 2), await server.agent("Confidant")];
  const owned = { owner_user_id: await userId("ann"), owner_verified: 1 as const };
  await server.ctx.db.updateTable("agents").set(owned).where("id", "=", agent.agentId).execute();
  expect((await root.put(`/api/agents/${agent.agentId}`, { dm_policy: "everyone" })).status).toBe(200);
  const seen: string[] = [];
  for (const who of [ann, bob, root]) {
    const opened = await who.post("/api/direct", { agent_name: "Confidant" });
    const { id, channel_slug } = opened.body.channel;
    await say(who, id, "hello");
    const page = await agent.get(`/api/agenthub/messages?channel_slug=${channel_slug}&format=context`);
    seen.push(...authorities(page.body.messages).map(String));
    expect(page.body.rendered).toContain("to_you=true");
  }
  expect(seen).toEqual(["owner", "member", "member"]);
  const { items, rendered } = (await agent.get("/api/agenthub/inbox?format=context&max_chars=2000")).body;
  expect(items.map(({ chat_message }: { chat_message: { authority: string } }) => chat_message.authority)).toEqual(
    seen,
  );
  expect(rendered).toContain(`item=${items[0].item_id} `);
});

async function userId(name: string): Promise<number> {
  const row = await server.ctx.db
    .selectFrom("users")
    .select("id")
    .where("username", "=", name)
    .executeTakeFirstOrThrow();
  return row.id;
}

describe("search by an agent", () => {
  test("returns messages that it may read, with authority and as a text", async () => {
    const [open, closed] = [await room(), await room()];
    await ann.put(`/api/channels/${closed.id}`, { is_private: true });
    await say(ann, open.id, "quokka one");
    await say(bob, open.id, "quokka two\u202e");
    await say(ann, closed.id, "quokka three");
    const search = () => helper.get("/api/search/messages?q=quokka&format=context&max_chars=5000");
    const found = await eventually("it is indexed", async () => {
      const answer = await search();
      return answer.body.messages.length === 2 ? answer : undefined;
    });
    expect(authorities(found.body.messages)).toEqual(["member", "channel_admin"]);
    expect(found.body).toMatchObject({ omitted: 0, messages: [{ highlights: [{ offset: 0 }] }, {}] });
    const { rendered } = found.body;
    expect(rendered).toMatch(new RegExp(`channel="${open.slug}" at=\\S+ from=user:"ann" authority=channel_admin`));
    expect(rendered.indexOf("quokka one")).toBeLessThan(rendered.indexOf("quokka two⟨U+202E⟩"));
    await ann.put(`/api/channels/${closed.id}/members/Helper`, {});
    await eventually("the other channel is found", async () => (await search()).body.messages.length === 3);
  });

  test("is the only one with format=context", async () => {
    for (const who of [ann, server.guest]) {
      const answer = await who.get("/api/search/messages?q=quokka&format=context");
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", details: [{ path: "format" }] } });
    }
  });
});

import { describe, expect, test } from "bun:test";
import { chances, NastyProxy } from "../../packages/sdk/test/support/proxy.ts";
import { revokeKey } from "../../packages/server/src/agents/keys/keys.ts";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { ChildServer, freePort } from "../../packages/server/test/support/servers/child-server.ts";
import { eventually, signUp } from "../../packages/server/test/support/servers/test-server.ts";
import { contents, Program, say, start } from "./tests/programs.ts";

describe.each(["threads.py", "tasks.py"])("an agent in Python with %s", (file) => {
  test.each(["mentions", "inbox"])("answers each of its %s once, also in Chinese", async (loop) => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using program = new Program(file, server.url, scout.apiKey, "answer", loop);
    await say(ana, "@Scout 你好，世界 🎉");
    await eventually("an answer", async () => (await contents(ana)).length === 2);
    await say(ana, "@Scout bye");
    expect(await program.ended()).toEqual(["answered", "answered"]);
    const asked = ["@Scout 你好，世界 🎉", "@Scout bye"];
    expect((await contents(ana)).toSorted()).toEqual(
      [...asked, ...asked.map((text) => `You said: ${text}`)].toSorted(),
    );
    expect((await scout.get("/api/agenthub/mentions?mark_read=false")).body.count).toBe(0);
  });

  test("answers a direct message in its conversation", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    const agents = server.ctx.db.updateTable("agents").where("id", "=", scout.agentId);
    await agents.set({ dm_policy: "everyone" }).execute();
    const { channel_id } = (await ana.post("/api/direct", { agent_name: "Scout" })).body;
    await ana.post("/api/messages", { channel_id, content: "Good bye" });
    await using program = new Program(file, server.url, scout.apiKey, "answer", "inbox");
    expect(await program.ended()).toEqual(["answered"]);
    const { messages } = (await ana.get(`/api/messages?channel_id=${channel_id}`)).body;
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(["Good bye", "You said: Good bye"]);
  });

  test("asks for an approval, and verifies its receipt", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using program = new Program(file, server.url, scout.apiKey, "ask", "ana");
    const asked = await eventually("the question is asked", async () => {
      const { messages } = (await ana.get("/api/messages?channel_id=general")).body;
      return messages.find(({ interaction }: { interaction?: object }) => interaction !== undefined);
    });
    await ana.post(`/api/interactions/${asked.id}/press`, { action_id: "approve" });
    expect(await program.ended()).toEqual(["decided approve True True"]);
  });

  test("does not answer again what it answered before a crash", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await say(ana, "@Scout hello");
    await using first = new Program(file, server.url, scout.apiKey, "crash");
    await first.ended();
    await say(ana, "@Scout bye");
    await using second = new Program(file, server.url, scout.apiKey, "answer", "mentions");
    expect(await second.ended()).toEqual(["had been answered", "answered"]);
    expect(await contents(ana)).toEqual([
      "@Scout hello",
      "Answered before the crash.",
      "@Scout bye",
      "You said: @Scout bye",
    ]);
  });

  test("sends each message once through a connection that breaks again and again", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using proxy = await NastyProxy.start(server.url);
    const chance = chances(5);
    // A send and its answer have some 1,500 bytes: cuts fall before, inside and after the request and the answer.
    proxy.budget = () => (proxy.cuts < 60 ? Math.floor(3_000 * chance()) : null);
    await using program = new Program(file, proxy.url, scout.apiKey, "send", "40");
    expect(await program.ended()).toEqual([]);
    expect(proxy.cuts).toBeGreaterThanOrEqual(20);
    expect(await contents(ana)).toEqual(Array.from({ length: 40 }, (_, n) => String(n)));
  });

  test("streams an answer through a connection that breaks, and splits what is too long", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using proxy = await NastyProxy.start(server.url);
    const chance = chances(11);
    proxy.budget = () => (proxy.cuts < 12 ? Math.floor(3_000 * chance()) : null);
    await using program = new Program(file, proxy.url, scout.apiKey, "stream", "30");
    expect(await program.ended()).toEqual(["finished", "1"]);
    const [numbers, ...long] = await contents(ana);
    expect(numbers?.trim()).toBe(
      Array.from({ length: 30 }, (_, n) => `${n} 🎉 `)
        .join("")
        .trim(),
    );
    expect(long).toEqual(["a".repeat(3_000), "b".repeat(3_000)]);
  });

  test("answers each item once although the server is killed again and again", async () => {
    await using server = new ChildServer(temporaryFolder(), freePort());
    await server.start();
    const ana = await signUp(server.url, "ana");
    const key = JSON.parse(await server.command("key", "issue", "--agent", "Scout", "--json")).api_key;
    await using program = new Program(file, server.url, key, "run", "4");
    await program.ready();
    const asked: string[] = [];
    const answers = async () => (await contents(ana)).filter((text) => text.startsWith("You said"));
    for (let kill = 1; kill <= 4; kill += 1) {
      const batch = Array.from({ length: 10 }, (_, n) => `@Scout ${kill}-${n}`);
      await Promise.all(batch.map((text) => say(ana, text)));
      asked.push(...batch);
      await eventually("the agent is at work", async () => (await answers()).length > (kill - 1) * 10);
      await server.end("SIGKILL");
      await server.start();
      await eventually("all are answered", async () => (await answers()).length >= kill * 10);
    }
    expect((await answers()).toSorted()).toEqual(asked.map((text) => `You said: ${text}`).toSorted());
    await eventually("all are acknowledged", async () => {
      const response = await fetch(`${server.url}/api/agenthub/inbox`, { headers: { authorization: `Bearer ${key}` } });
      return ((await response.json()) as { count: number }).count === 0;
    });
  });

  test.each([
    ["answer", "inbox"],
    ["run", "2"],
    ["listen", ""],
  ])("ends its loop at once when the key is revoked (%s %s)", async (act, argument) => {
    await using place = await start();
    const { server, scout } = place;
    await using program = new Program(file, server.url, scout.apiKey, act, argument);
    await program.ready();
    await revokeKey(server.ctx, scout.keyId);
    expect(await program.ended()).toEqual([expect.stringMatching(/^ParleyError key_revoked within \d\d? s$/)]);
  });

  test("raises the refusal of the loop guard at once", async () => {
    await using place = await start({ agentLoopLimit: 4 });
    const { server, ana, scout } = place;
    const other = await server.agent("Other");
    await other.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Other", message: "And you?" });
    await using program = new Program(file, server.url, scout.apiKey, "send", "5");
    expect(await program.ended()).toEqual([
      expect.stringMatching(/^LoopGuardTripped loop_guard_tripped within \d\d? s$/),
    ]);
    expect(await contents(ana)).toEqual(["And you?", "0", "1"]);
  });

  test("hears each event once and in order through broken connections, in Chinese", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using proxy = await NastyProxy.start(server.url);
    const chance = chances(7);
    proxy.budget = () => (proxy.cuts < 20 ? Math.floor(1_500 + 4_000 * chance()) : null);
    const { seq } = (await say(ana, "before")).body;
    await using program = new Program(file, proxy.url, scout.apiKey, "listen", `1:${seq}`);
    await program.ready();
    const said: string[] = [];
    for (let n = 1; n <= 100; n += 1) said.push(`第${n}句：你好，世界 🎉`);
    const expected: string[] = [];
    for (const text of [...said, "bye"]) expected.push(`${(await say(ana, text)).body.seq} ${text}`);
    expect(await program.ended()).toEqual(expected);
    expect(proxy.cuts).toBeGreaterThanOrEqual(10);
  });
});

test("text answers name their charset, so that clients with another default read them right", async () => {
  await using place = await start();
  const { scout, server } = place;
  const stop = new AbortController();
  const { headers } = await fetch(`${server.url}/api/agenthub/events`, {
    headers: scout.credential,
    signal: stop.signal,
  });
  stop.abort();
  expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
});

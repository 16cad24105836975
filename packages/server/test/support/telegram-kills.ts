import { expect, test } from "bun:test";
import { temporaryFolder } from "./config.ts";
import { ChildServer, freePort } from "./servers/child-server.ts";
import { Client, eventually, signUp } from "./servers/test-server.ts";
import type { Received, StartClient } from "./telegram-client.ts";

const KILLS = 4;

/** Passes calls on to a server that may be dead. `onUpdates` may end it, and decides whether the client gets the updates. */
function proxyTo(url: string, onUpdates: () => Promise<boolean>): Disposable & { url: string } {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("host");
      const body = request.method === "GET" ? undefined : await request.arrayBuffer();
      try {
        const answer = await fetch(`${url}${pathname}${search}`, {
          method: request.method,
          headers,
          body,
          decompress: false,
        });
        const bytes = await answer.arrayBuffer();
        const isPoll = pathname.toLowerCase().endsWith("/getupdates");
        const hasUpdates = isPoll && answer.ok && new TextDecoder().decode(bytes).includes('"update_id"');
        if (hasUpdates && !(await onUpdates())) return new Response(null, { status: 502 });
        return new Response(bytes, { status: answer.status, headers: answer.headers });
      } catch {
        // The server is dead, as a reverse proxy would say.
        return new Response(null, { status: 502 });
      }
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

/**
 * Tests an unmodified client whose server is killed with -9 between getUpdates and its confirmation: half of the answers
 * reach the client, and half are lost with the server.
 */
export function testKills(kind: string, start: StartClient): void {
  test(`${KILLS} kills between getUpdates and its confirmation lose no update of ${kind}, and repeat none`, async () => {
    await using server = new ChildServer(temporaryFolder(), freePort(), { PARLEY_RATE_LIMITS: "off" });
    const apiKey = (await server.command("key", "issue", "--agent", "Scout")).match(/ply_\w+/)?.[0] ?? "";
    await server.start();
    const ann = await signUp(server.url, "ann");
    const agent = new Client(server.url, { authorization: `Bearer ${apiKey}` });
    const { bot_id: userId } = (await agent.get("/api/agenthub/me")).body.telegram;
    /** What happens to the next updates. */
    let fate: "pass" | "kill and pass" | "kill and lose" = "pass";
    let kills = 0;
    using proxy = proxyTo(server.url, async () => {
      const now = fate;
      fate = "pass";
      if (now === "pass") return true;
      await server.end("SIGKILL");
      kills += 1;
      return now === "kill and pass";
    });
    const bot = {
      apiKey,
      userId,
      token: `${userId}:${apiKey}`,
      apiRoot: `${proxy.url}/telegram`,
    } as Parameters<StartClient>[0];
    const received: Received[] = [];
    const begin = () => start(bot, (message) => received.push(message));
    let driver = await begin();
    const sent: number[] = [];
    const say = async () => {
      const text = `@Scout number ${sent.length}`;
      const { status, body } = await ann.post("/api/messages", { channel_slug: "general", content: text });
      expect(status).toBe(201);
      sent.push(body.message_id);
    };
    const pending = async () => (await agent.get("/api/agenthub/inbox")).body.items.length;
    for (let kill = 0; kill < KILLS; kill += 1) {
      fate = kill % 2 === 0 ? "kill and pass" : "kill and lose";
      await say();
      await eventually("the server is killed", () => kills > kill);
      await server.start();
      await eventually("the update has arrived", () => received.length >= sent.length);
      await say();
      await eventually("the next one has arrived, too", () => received.length >= sent.length);
      await eventually("everything is confirmed", async () => (await pending()) === 0);
    }
    expect(received.map(({ message_id }) => message_id)).toEqual(sent);
    // A new program has no offset: what it gets was not confirmed.
    await driver.stop();
    driver = await begin();
    await say();
    await eventually("the last one has arrived", () => received.length >= sent.length);
    await driver.stop();
    expect(received.map(({ message_id }) => message_id)).toEqual(sent);
  });
}

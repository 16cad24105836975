import { afterAll, describe, expect, test } from "bun:test";
import { newChannel } from "./new-channel.ts";
import { png } from "./pngs.ts";
import { sayId } from "./say.ts";
import { TestSocket } from "./servers/socket.ts";
import { type Client, eventually, type TestServer } from "./servers/test-server.ts";
import { type TestBot, testBot } from "./telegram.ts";
import { type ClientDriver, type Received, RefusedCall, type StartClient } from "./telegram-client.ts";

const CHAT = -1_000_000_000_001;
const CONFLICT = "terminated by other getUpdates request";

/** Tests an unmodified client of the Bot API, of which only the root of its addresses is set (protocol §15). */
export function testClient(kind: string, start: StartClient, server: TestServer, ann: Client): void {
  describe(`with ${kind}`, () => {
    const name = `Bot-${kind.replaceAll(/[ .]/g, "-")}`;
    const received: Received[] = [];
    const running = new Set<ClientDriver>();
    let driver: ClientDriver;
    let bot: TestBot;
    const begin = async () => {
      const begun = await start(bot, (message) => received.push(message));
      running.add(begun);
      return begun;
    };
    const stop = (stopped: ClientDriver) => running.delete(stopped) && stopped.stop();
    const next = (what: string, is: (message: Received) => boolean) => eventually(what, () => received.find(is));
    const record = async (id: number) =>
      (await ann.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0];
    afterAll(() => Promise.all([...running].map(stop)));

    test("a bot starts and knows itself", async () => {
      bot = await testBot(server, name);
      driver = await begin();
      expect(await driver.me()).toBe(name.replaceAll("-", "_"));
    });

    test("it gets a mention, and its reply, edit and deletion are seen", async () => {
      const id = await sayId(ann, "general", `@${name} hello`);
      const message = await next("the mention", ({ message_id }) => message_id === id);
      expect(message).toMatchObject({ text: `@${name.replaceAll("-", "_")} hello`, chat_type: "supergroup" });
      const answer = await driver.send(CHAT, "1 < 2 *", id);
      expect(await record(answer)).toMatchObject({ reply_to_id: id, agent_name: name, content: "1 < 2 \\*" });
      await driver.edit(CHAT, answer, "changed");
      expect((await record(answer)).content).toBe("changed");
      await driver.remove(CHAT, answer);
      expect((await record(answer)).is_deleted).toBe(true);
      await driver.typing(CHAT);
    });

    test("it gets messages of threads and of a direct conversation", async () => {
      const root = await sayId(ann, "general", "a thread");
      const inThread = await sayId(ann, "general", `@${name} there`, { thread_root_id: root });
      const message = await next("the message in the thread", ({ message_id }) => message_id === inThread);
      expect(message.thread).toBe(root);
      await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", bot.agentId).execute();
      const someone = await server.newUser();
      const { channel } = (await someone.post("/api/direct", { agent_name: name })).body;
      const id = await sayId(someone, channel.id, "psst");
      expect((await next("the direct message", ({ message_id }) => message_id === id)).chat_type).toBe("private");
    });

    test("it sends and receives photos", async () => {
      const sent = await driver.photo(CHAT, new Uint8Array(png(5, 4)));
      expect((await record(sent)).files[0]).toMatchObject({ mime_type: "image/png", width: 5, height: 4 });
      const form = new FormData();
      form.set("file", new Blob([png(6, 6)]), "six.png");
      const { file } = (await ann.send("POST", "/api/files", { raw: form })).body;
      const id = await sayId(ann, "general", `@${name} look`, { file_ids: [file.file_id] });
      const { photo } = await next("the photo", ({ message_id }) => message_id === id);
      expect(await driver.size(photo ?? "")).toBe(file.size_bytes);
    });

    test("it shows a keyboard, and answers a person who presses it", async () => {
      using socket = await TestSocket.open(server.url, ann.credential);
      const id = await driver.keyboard(CHAT);
      const [{ elements }] = (await record(id)).components;
      const [{ action_id, label, value }] = elements;
      expect([elements.length, label]).toEqual([1, "Go"]);
      expect((await ann.post(`/api/interactions/${id}/press`, { action_id, value })).status).toBe(200);
      const { data } = await socket.next(({ event }) => event === "interaction:answer");
      expect(data).toMatchObject({ interaction_id: id, text: driver.answersItself ? null : `Got ${value}` });
    });

    test("it tells how long to wait when it sends too fast, or waits", async () => {
      const { id } = await newChannel(ann, { slow_mode_seconds: 3 });
      const chat = -(1_000_000_000_000 + id);
      await driver.send(chat, "its turn");
      const sending = driver.send(chat, "too soon");
      if (driver.waitsItself) return expect(await sending).toBeGreaterThan(0);
      const error = await sending.catch((error: unknown) => error);
      expect(error).toBeInstanceOf(RefusedCall);
      expect((error as RefusedCall).retryAfter).toBeWithin(1, 4);
    });

    test("after a restart it gets what it has not confirmed, and nothing twice", async () => {
      await eventually("everything is confirmed", async () => (await pending(server, bot)) === 0);
      await stop(driver);
      received.length = 0;
      const id = await sayId(ann, "general", `@${name} are you there?`);
      driver = await begin();
      await next("the mention", ({ message_id }) => message_id === id);
      const later = await sayId(ann, "general", `@${name} good`);
      await next("the next mention", ({ message_id }) => message_id === later);
      expect(received.map(({ message_id }) => message_id)).toEqual([id, later]);
    });

    test("a second poller makes one of the two say that there are two", async () => {
      const second = await begin();
      expect(await Promise.race([driver.conflict, second.conflict])).toContain(CONFLICT);
      const id = await sayId(ann, "general", `@${name} who is it?`);
      await next("the mention", ({ message_id }) => message_id === id);
      await Promise.all([stop(driver), stop(second)]);
    });
  });
}

async function pending(server: TestServer, { apiKey }: TestBot): Promise<number> {
  const answer = await fetch(`${server.url}/api/agenthub/inbox`, { headers: { authorization: `Bearer ${apiKey}` } });
  return ((await answer.json()) as { items: unknown[] }).items.length;
}

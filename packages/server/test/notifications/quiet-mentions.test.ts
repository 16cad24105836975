import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { EGRESS, PushScene } from "../support/push-scene.ts";
import { eventually, type Named, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Texts in which a name is no mention. */
const SILENT: Readonly<Record<string, (name: string) => string>> = {
  "a code span": (name) => `run \`npm i @${name}\` now`,
  "a code span of two backticks": (name) => `\`\`a \`@${name}\` b\`\``,
  "a code span over two lines": (name) => `see \`a\n@${name}\``,
  "a fenced block": (name) => `\`\`\`ts\nimport "@${name}";\n\`\`\``,
  "a fence of tildes that is not closed": (name) => `~~~\n@${name}`,
  "an indented block": (name) => `this:\n\n    @${name}`,
  "code in a list": (name) => `- one\n- \`@${name}\``,
  "code in a table": (name) => `| who |\n| --- |\n| \`@${name}\` |`,
  "code in a quote": (name) => `> \`@${name}\``,
  "an address": (name) => `https://social.example/@${name}/1`,
  "an address in brackets": (name) => `<https://social.example/@${name}>`,
  "the address of a link": (name) => `[post](https://social.example/@${name})`,
  "an address of another scheme": (name) => `ssh://git@host/@${name}`,
  "an e-mail address": (name) => `mail me@${name}.example`,
};

/** Texts in which a name is shown as a mention and rings nobody. */
const QUOTED: Readonly<Record<string, (name: string) => string>> = {
  "a quote": (name) => `> @${name} said so`,
  "a lazy line of a quote": (name) => `> they said\n@${name} knows`,
  "a quote in a quote": (name) => `> > @${name}`,
  "a list in a quote": (name) => `> - @${name}`,
};

/** Where a mention rings nobody and wakes no agent (protocol §4). */
eachDatabase((_, open) => {
  const clock = datedClock();
  let server: TestServer;
  let scene: PushScene;
  let agent: Awaited<ReturnType<TestServer["agent"]>>;
  let receiver: WebhookReceiver;
  let helper: string;
  let count = 0;
  let ann: Named;
  let bob: Named;
  let channel: number;

  beforeAll(async () => {
    server = await startTestServer({ ...EGRESS, agentLoopLimit: 0 }, { database: await open(), clock });
    scene = new PushScene(server, clock);
    receiver = new WebhookReceiver();
  }, 60_000);
  afterAll(async () => {
    receiver[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  }, 60_000);
  beforeEach(async () => {
    scene.newService();
    ({ ann, bob, channel } = await scene.people());
    helper = `Helper${++count}`;
    agent = await server.agent(helper);
    const hook = { url: receiver.url, events: ["inbox.new"], agent_id: agent.agentId };
    expect((await agent.post("/api/webhooks", hook)).status).toBe(201);
    const { channel_slug } = (await bob.get(`/api/channels/${channel}`)).body.channel;
    const login = await agent.post("/api/agenthub/login", { channel_slug, agent_name: helper });
    expect(login.status).toBe(200);
    await scene.pass();
  });
  afterEach(() => scene.service[Symbol.dispose]());

  const rung = async () => {
    const { body } = await ann.get("/api/notifications");
    return body.notifications.map(({ message_id }: { message_id: number }) => message_id);
  };
  const inbox = async () => {
    const { body } = await agent.get("/api/agenthub/inbox");
    const items: { kind: string; chat_message: { id: number } | null }[] = body.items;
    return items.filter(({ kind }) => kind === "mention").map(({ chat_message }) => chat_message?.id);
  };
  const pending = async () => (await agent.get("/api/agenthub/mentions")).body.mentions;
  const named = async (id: number): Promise<string[]> => {
    const { body } = await bob.get(`/api/messages?channel_id=${channel}&limit=100`);
    const said: { id: number; mentions: { name: string }[] }[] = body.messages;
    return (
      said
        .find((message) => message.id === id)
        ?.mentions.map(({ name }) => name)
        .toSorted() ?? ["not found"]
    );
  };
  /** Says each text with the name of the user and with that of the agent, and checks which it mentions. */
  async function sayAll(texts: Readonly<Record<string, (name: string) => string>>, isMention: boolean): Promise<void> {
    for (const [where, text] of Object.entries(texts)) {
      for (const name of [ann.username, helper]) {
        const id = await scene.say(bob, channel, text(name));
        expect([where, await named(id)]).toEqual([where, isMention ? [name] : []]);
      }
    }
  }

  /** Shows that what was said before rang nobody: a mention afterwards is the first that anybody hears of. */
  async function onlyLastRings(): Promise<void> {
    const hooked = receiver.received.length;
    const last = await scene.say(bob, channel, `now @${ann.username} and @${helper}`);
    await scene.pass();
    await eventually("the list has it", async () => (await rung()).length > 0);
    expect(await rung()).toEqual([last]);
    expect(await inbox()).toEqual([last]);
    expect(await pending()).toHaveLength(1);
    await eventually("the push arrives", () => scene.service.pushed.length > 0);
    expect(scene.service.pushed).toHaveLength(1);
    await eventually("the webhook is called", () => receiver.received.length > hooked);
    expect(receiver.received.slice(hooked).map(({ text }) => text.includes(`"id":${last}`))).toEqual([true]);
  }

  describe("a name rings nobody and wakes no agent", () => {
    test("in code and in addresses, where it is no mention at all", async () => {
      await sayAll(SILENT, false);
      await onlyLastRings();
    });

    test("in quotes, where it is shown", async () => {
      await sayAll(QUOTED, true);
      await onlyLastRings();
    });
  });

  test("an edit into code takes a mention back, and one out of code rings once", async () => {
    const id = await scene.say(bob, channel, `@${ann.username} and @${helper}`);
    const edit = async (content: string) =>
      expect((await bob.put(`/api/messages/${id}`, { content })).status).toBe(200);
    await eventually("both have it", async () => (await rung()).length + (await inbox()).length === 2);
    await edit(`\`@${ann.username} and @${helper}\``);
    await eventually("neither has it", async () => (await rung()).length + (await inbox()).length === 0);
    expect(await named(id)).toEqual([]);
    await edit(`> @${ann.username} and @${helper}`);
    expect(await named(id)).toHaveLength(2);
    expect([await rung(), await inbox()]).toEqual([[], []]);
    await edit(`@${ann.username} and @${helper}`);
    await eventually("both have it again", async () => (await rung()).length + (await inbox()).length === 2);
    expect([await rung(), await inbox()]).toEqual([[id], [id]]);
  });
});

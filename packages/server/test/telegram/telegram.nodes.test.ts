import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countAgentStreams } from "../../src/agents/events/open-stream-limits.ts";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, logIn, type TestServer } from "../support/servers/test-server.ts";
import { asBot } from "../support/telegram.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** A bot whose requests go to any node (protocol §15.3). */
describe("bots on two nodes", () => {
  let cluster: Nodes;
  let nodes: [TestServer, TestServer];
  let ann: Client;

  beforeAll(async () => {
    const config = { rateLimits: "off" as const, egressAllow: ["127.0.0.1"] };
    cluster = await startNodes(2, { bus: "redis", config });
    nodes = cluster.nodes as [TestServer, TestServer];
    ann = await nodes[0].user("ann");
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("a poll on one node ends the poll on the other, gets its mentions and confirms them there", async () => {
    const [here, there] = nodes;
    const key = await here.agent("Roamer");
    const [one, other] = [await asBot(here, key), await asBot(there, key)];
    expect(one.token).toBe(other.token);
    const older = one.call("getUpdates", { timeout: 50 });
    await eventually("the older one waits", () => countAgentStreams(here.ctx) > 0);
    const newer = other.call("getUpdates", { timeout: 50 });
    expect((await older).status).toBe(409);
    const id = await sayId(ann, "general", "@Roamer hi");
    const [update] = (await newer).body.result;
    expect(update.message.message_id).toBe(id);
    expect(await one.ask("getUpdates", { offset: update.update_id + 1 })).toEqual([]);
    expect(await other.ask("getUpdates")).toEqual([]);
  });

  test("a draft that one node began grows and ends on the other", async () => {
    const [here, there] = nodes;
    const key = await here.agent("Drafter");
    const [one, other] = [await asBot(here, key), await asBot(there, key)];
    const place = { chat_id: "@general", draft_id: 1 };
    await one.ask("sendMessageDraft", { ...place, text: "It is" });
    await other.ask("sendMessageDraft", { ...place, text: "It is done" });
    const rows = () => here.ctx.db.selectFrom("streams").select(["content", "state", "message_id"]).execute();
    expect(await rows()).toEqual([{ content: "It is done", state: "open", message_id: null }]);
    const { message_id } = await other.ask("sendMessage", { chat_id: "@general", text: "It is done." });
    expect(await rows()).toEqual([{ content: "", state: "finished", message_id }]);
    expect((await one.ask("sendMessage", { chat_id: "@general", text: "More" })).message_id).toBeGreaterThan(
      message_id,
    );
  });

  test("a press on one node reaches a poll on the other, and its answer reaches who pressed", async () => {
    const [here, there] = nodes;
    const key = await here.agent("Pressed");
    const [one, other] = [await asBot(here, key), await asBot(there, key)];
    const reply_markup = { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] };
    const sent = await one.ask("sendMessage", { chat_id: "@general", text: "Ready?", reply_markup });
    const polled = other.call("getUpdates", { timeout: 50 });
    using socket = await TestSocket.open(here.url, ann.credential);
    expect((await ann.post(`/api/interactions/${sent.message_id}/press`, { action_id: "b0" })).status).toBe(200);
    const [{ callback_query }] = (await polled).body.result;
    expect(callback_query).toMatchObject({ data: "go", message: { message_id: sent.message_id } });
    await other.ask("answerCallbackQuery", { callback_query_id: callback_query.id, text: "Gone" });
    const { data } = await socket.next(({ event }) => event === "interaction:answer");
    expect(data).toMatchObject({ interaction_id: sent.message_id, text: "Gone", alert: false });
    expect((await one.call("answerCallbackQuery", { callback_query_id: callback_query.id })).status).toBe(400);
  });

  test("a webhook that is set on one node gets each update once", async () => {
    const [here, there] = nodes;
    const key = await here.agent("Hooked");
    const [one, other] = [await asBot(here, key), await asBot(there, key)];
    using receiver = new WebhookReceiver();
    await one.ask("setWebhook", { url: receiver.url });
    expect((await other.call("getUpdates")).status).toBe(409);
    const ids: number[] = [];
    for (const text of ["a", "b", "c"]) ids.push((await say(ann, "general", `@Hooked ${text}`)).message_id);
    await eventually("all are confirmed", async () => {
      return (await other.ask("getWebhookInfo")).pending_update_count === 0;
    });
    expect(receiver.received.map(({ text }) => JSON.parse(text).message.message_id)).toEqual(ids);
  });

  test("what is asked on one node is made of what both nodes store from then on, once", async () => {
    const [here, there] = nodes;
    const key = await here.agent("Listener");
    const [one, other] = [await asBot(here, key), await asBot(there, key)];
    await here.ctx.db.updateTable("agents").set({ telegram_privacy: 0 }).where("id", "=", key.agentId).execute();
    const { id, slug } = await newChannel(ann);
    const annThere = await logIn(there.url, "ann");
    await ann.put(`/api/channels/${id}/members/Listener`, {});
    await one.ask("getUpdates");
    // The other node has heard of it when the call is answered.
    const said: number[] = [];
    for (let round = 0; round < 20; round += 1)
      said.push(await sayId(annThere, slug, `there ${round}`), await sayId(ann, slug, `here ${round}`));
    const idsOf = (updates: { message: { message_id: number } }[]) => updates.map(({ message }) => message.message_id);
    await eventually("all are made", async () => (await other.ask("getUpdates")).length >= said.length);
    const updates = await other.ask("getUpdates");
    expect(idsOf(updates)).toEqual(said);
    expect(await one.ask("getUpdates", { offset: updates.at(-1).update_id + 1 })).toEqual([]);
    await annThere.delete(`/api/channels/${id}/members/Listener`);
    await sayId(ann, slug, "after the kick");
    const mention = await sayId(annThere, "general", "@Listener still here?");
    const rest = await eventually("the mention is there", async () => {
      const found = await one.ask("getUpdates", { timeout: 5 });
      return found.some((update: { message?: object }) => update.message !== undefined) && found;
    });
    expect(rest.flatMap(({ message }: { message?: { message_id: number } }) => message?.message_id ?? [])).toEqual([
      mention,
    ]);
  });
});

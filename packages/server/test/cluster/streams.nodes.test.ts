import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, type TestServer } from "../support/servers/test-server.ts";

const STREAMS = "/api/agenthub/streams";

describe("streams behind a balancer", () => {
  let cluster: Nodes;
  let one: TestServer;
  let two: TestServer;
  let ann: Client;
  /** The same agent, on each node. */
  let agents: [Client, Client];
  let keys = 0;

  beforeAll(async () => {
    cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "on" } });
    const [first, second] = cluster.nodes;
    if (first === undefined || second === undefined) throw new Error("no nodes");
    [one, two] = [first, second];
    ann = await one.user("ann");
    const scout = await one.agent("Scout");
    agents = [scout, new Client(two.url, scout.credential)];
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const start = async (slug: string) => {
    const body = { channel_slug: slug, agent_name: "Scout", client_msg_id: `answer-${++keys}` };
    return (await agents[0].post(STREAMS, body)).body.stream_id as number;
  };
  const joined = async (node: TestServer, slug: string) => {
    const socket = await TestSocket.open(node.url);
    return { socket, ack: await socket.command("channel:join", { channel_slug: slug }) };
  };

  test("take each piece on any node, show ten events a second, and finish anywhere, once", async () => {
    const { slug } = await newChannel(ann, {});
    const [first, second] = [await joined(one, slug), await joined(two, slug)];
    const id = await start(slug);
    await eventually("the other node knows", async () => {
      const { socket, ack } = await joined(two, slug);
      socket.close();
      return ack.data.streams?.[0]?.stream_id === id;
    });
    const began = performance.now();
    let text = "";
    for (let turn = 0; turn < 24; turn += 1) {
      const piece = `${turn} `;
      const body = { offset: text.length, delta: piece };
      const answer = await agents[turn % 2]?.post(`${STREAMS}/${id}/append`, body);
      if (answer?.status === 429) await new Promise((resolve) => setTimeout(resolve, 100));
      else {
        expect([answer?.status, answer?.body.length]).toEqual([200, text.length + piece.length]);
        text += piece;
      }
    }
    const frames = () => second.socket.frames.filter(({ event }) => event === "stream:delta");
    const held = () => {
      const all = new Map(frames().map(({ data }) => [data.offset as number, data.delta as string]));
      let shown = "";
      for (let piece = all.get(0); piece !== undefined; piece = all.get(shown.length)) {
        shown += piece;
        if (piece === "") break;
      }
      return shown;
    };
    await eventually(
      "all pieces arrive on the other node",
      () =>
        held().length > 0 &&
        text.startsWith(held()) &&
        frames().some(({ data }) => data.offset + data.delta.length >= text.length),
    );
    const seconds = (performance.now() - began) / 1_000;
    expect(frames().length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 10);
    const answers = await Promise.all(agents.map((agent) => agent.post(`${STREAMS}/${id}/finish`, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
    expect(answers[0]?.body.chat_message.content).toBe(text);
    for (const { socket } of [first, second]) {
      const { data } = await socket.next(({ event }) => event === "stream:end");
      expect(data).toMatchObject({ stream_id: id, message_id: answers[0]?.body.message_id });
      expect(socket.frames.filter(({ event }) => event === "message:new")).toHaveLength(1);
      socket.close();
    }
  });

  test("end on any node when a person stops the agent, whose program learns of it on the other one", async () => {
    const { slug, id: channelId } = await newChannel(ann, {});
    using socket = (await joined(two, slug)).socket;
    const id = await start(slug);
    await agents[0].post(`${STREAMS}/${id}/append`, { offset: 0, delta: "Half of" });
    const { agent_id } = (await agents[0].get("/api/agenthub/me")).body;
    const waiting = agents[0].get("/api/agenthub/inbox?kinds=notice&wait=20");
    const elsewhere = new Client(two.url, ann.credential);
    const stopped = await elsewhere.post(`/api/channels/${channelId}/stop`, { agent_id });
    expect(stopped.body).toEqual({ success: true, stopped: true });
    expect((await waiting).body.items).toMatchObject([{ channel_id: channelId, notice: { type: "stopped" } }]);
    const end = await socket.next(({ event }) => event === "stream:end");
    expect(end.data).toMatchObject({ stream_id: id, finish_reason: "stopped" });
    const append = await agents[0].post(`${STREAMS}/${id}/append`, { offset: 7, delta: " it" });
    expect([append.status, append.body.code]).toEqual([409, "stream_over"]);
  });

  test("go on when Redis has lost everything, and when their node is gone", async () => {
    const { slug } = await newChannel(ann, {});
    const id = await start(slug);
    expect((await agents[0].post(`${STREAMS}/${id}/append`, { offset: 0, delta: "before " })).status).toBe(200);
    await cluster.redis?.stop();
    const away = await agents[1].post(`${STREAMS}/${id}/append`, { offset: 7, delta: "without " });
    expect([away.status, away.body.length]).toEqual([200, 15]);
    await cluster.redis?.start();
    await one[Symbol.asyncDispose]();
    expect((await agents[1].post(`${STREAMS}/${id}/append`, { offset: 15, delta: "after" })).status).toBe(200);
    const done = await agents[1].post(`${STREAMS}/${id}/finish`, {});
    expect([done.status, done.body.chat_message?.content]).toEqual([201, "before without after"]);
  });
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { revokeKey } from "../../server/src/agents/keys/keys.ts";
import { publishControl } from "../../server/src/realtime/control/control.ts";
import { eventually, startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { AgentClient } from "../src/agent-client.ts";
import { ParleyClient } from "../src/client.ts";
import type { ChannelEvent } from "../src/realtime/subscription-types.ts";
import { QUICK, registered } from "./support/clients.ts";

/** An agent's socket: the SDK identifies it by the command auth:agent, which works where headers cannot be set. */
let server: TestServer;
let ana: ParleyClient;
let agent: Awaited<ReturnType<TestServer["agent"]>>;
let scout: AgentClient;

beforeEach(async () => {
  server = await startTestServer();
  ana = await registered(server.url, "ana");
  agent = await server.agent("Scout");
  scout = new AgentClient({ url: server.url, apiKey: agent.apiKey, name: "Scout" });
});
afterEach(() => server[Symbol.asyncDispose]());

const say = (content: string) => ana.messages.send({ channel_slug: "general", content });

test("an agent subscribes over its socket, receives its mentions, and answers", async () => {
  using realtime = scout.realtime({ backoff: QUICK });
  const events: ChannelEvent[] = [];
  const mentions: number[] = [];
  realtime.onEvent((event) => event.event === "mention:new" && mentions.push(event.data.chat_message.id));
  using subscription = scout.subscribe(realtime, { channel: "general", onEvent: (event) => events.push(event) });
  const id = await eventually("the subscription", () => subscription.channelId);
  expect((await ana.channels.online(id)).users).toMatchObject([{ kind: "agent", name: "Scout" }]);
  expect(realtime.agent).toEqual({ agent_id: agent.agentId });
  expect(realtime.user).toBeNull();
  const { message_id } = await say("@Scout hello");
  await eventually("the mention", () => mentions.includes(message_id));
  const answer = await realtime.send({ channel_slug: "general", content: "hi", reply_to_id: message_id });
  expect(answer.chat_message).toMatchObject({ agent_name: "Scout", reply_to_id: message_id });
  await eventually("both messages", () => events.length === 2);
});

test("a socket that breaks authenticates again and misses nothing", async () => {
  using realtime = scout.realtime({ backoff: QUICK });
  const seqs: number[] = [];
  using subscription = scout.subscribe(realtime, { channel: "general", onEvent: ({ data }) => seqs.push(data.seq) });
  await eventually("the subscription", () => subscription.channelId);
  await say("one");
  await eventually("one", () => seqs.length === 1);
  realtime.reopen();
  await say("two");
  await eventually("two", () => seqs.length === 2);
  expect(seqs).toEqual([1, 2]);
  expect(realtime.agent).toEqual({ agent_id: agent.agentId });
});

test("the socket ends with the code of the key's end and does not come back", async () => {
  using realtime = scout.realtime({ backoff: QUICK });
  await eventually("it is live", () => realtime.state === "live");
  await revokeKey(server.ctx, agent.apiKey);
  publishControl(server.ctx, "key_revoked", agent.keyId);
  await eventually("it has ended", () => realtime.state === "ended");
  expect(realtime.error).toMatchObject({ code: "key_revoked", status: 403 });
  using again = scout.realtime({ backoff: QUICK });
  await eventually("it is refused", () => again.state === "ended");
  expect(again.error).toMatchObject({ code: "key_revoked" });
});

test("a client with an API key sends it with the handshake", async () => {
  const client = new ParleyClient({ url: server.url, apiKey: agent.apiKey });
  using realtime = client.realtime({ backoff: QUICK });
  await eventually("it is live", () => realtime.state === "live");
  expect(realtime.agent).toEqual({ agent_id: agent.agentId });
});

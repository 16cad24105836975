import { expect } from "bun:test";
import type { Config } from "../../src/config/config.ts";
import { datedClock } from "./clock.ts";
import type { OpenFresh } from "./databases.ts";
import { newChannel } from "./new-channel.ts";
import { type Frame, TestSocket } from "./servers/socket.ts";
import { type Answered, type Client, startTestServer } from "./servers/test-server.ts";

export const STREAMS = "/api/agenthub/streams";

/** The status and the code of an answer. */
export const code = ({ status, body }: Answered) => [status, body.code];

/** A server with a user and an agent that writes streams. */
export async function streamScene(open: OpenFresh, config: Partial<Config> = {}) {
  const clock = datedClock();
  const overrides = { database: await open(clock), clock };
  const server = await startTestServer({ agentLoopLimit: 4, rateLimits: "off", ...config }, overrides);
  const ann = await server.user("ann");
  const agent = await server.agent("Writer");
  let keys = 0;
  const key = () => `answer-${++keys}`;
  const start = (slug: string, more: object = {}, who: Client = agent) =>
    who.post(STREAMS, { channel_slug: slug, agent_name: "Writer", client_msg_id: key(), ...more });
  return {
    server,
    clock,
    ann,
    agent,
    key,
    start,
    room: (settings: Record<string, unknown> = {}) => newChannel(ann, settings),
    async begin(slug: string, more: object = {}): Promise<number> {
      const { status, body } = await start(slug, more);
      expect([status, body.code]).toEqual([201, undefined]);
      return body.stream_id;
    },
    append: (id: number, offset: number, delta: string, who: Client = agent) =>
      who.post(`${STREAMS}/${id}/append`, { offset, delta }),
    finish: (id: number, body?: object) => agent.post(`${STREAMS}/${id}/finish`, body ?? {}),
    messagesIn: async (slug: string): Promise<{ id: number; content: string; stream_id?: number }[]> =>
      (await ann.get(`/api/messages?channel_slug=${slug}`)).body.messages,
    async joined(slug: string, headers = ann.credential) {
      const socket = await TestSocket.open(server.url, headers);
      return { socket, ack: await socket.command("channel:join", { channel_slug: slug }) };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export type StreamScene = Awaited<ReturnType<typeof streamScene>>;

export function textOf(deltas: readonly Frame[]): string {
  let text = "";
  for (const { data } of deltas) if (data.offset === text.length) text += data.delta;
  return text;
}

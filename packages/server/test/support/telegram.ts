import { botsOf } from "../../src/telegram/bots.ts";
import { botUserId } from "../../src/telegram/ids.ts";
import { type Answered, Client, type TestServer } from "./servers/test-server.ts";

/** A bot: an agent with one name, as clients of the Telegram Bot API know it. */
export interface TestBot {
  readonly agentId: number;
  readonly apiKey: string;
  /** `bot.user.id` of the Bot API. */
  readonly userId: number;
  readonly token: string;
  /** The root of the addresses, for clients. */
  readonly apiRoot: string;
  /** Calls a method with JSON, and returns the whole answer. */
  call(method: string, fields?: Record<string, unknown>): Promise<Answered>;
  /** Calls a method that must succeed, and returns its result. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into results of any shape and fails where they differ.
  ask(method: string, fields?: Record<string, unknown>): Promise<any>;
}

/** Creates an agent, and returns it as a bot. */
export async function testBot(server: TestServer, name: string): Promise<TestBot> {
  const { agentId, apiKey } = await server.agent(name);
  return asBot(server, { agentId, apiKey });
}

/** Returns an agent as a bot; `url`: another node. */
export async function asBot(
  server: Pick<TestServer, "ctx" | "url">,
  { agentId, apiKey }: { agentId: number; apiKey: string },
): Promise<TestBot> {
  const [bot] = await botsOf(server.ctx, agentId);
  if (bot === undefined) throw new Error("The agent has no name.");
  const userId = botUserId(bot.id);
  const token = `${userId}:${apiKey}`;
  const client = new Client(server.url);
  const call = (method: string, fields: Record<string, unknown> = {}) =>
    client.post(`/telegram/bot${token}/${method}`, fields);
  return {
    agentId,
    apiKey,
    userId,
    token,
    apiRoot: `${server.url}/telegram`,
    call,
    async ask(method, fields) {
      const { status, body } = await call(method, fields);
      if (status !== 200 || body.ok !== true) throw new Error(`${method}: ${status} ${JSON.stringify(body)}`);
      return body.result;
    },
  };
}

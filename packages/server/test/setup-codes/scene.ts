import { Client, type Named, type TestServer } from "../support/servers/test-server.ts";

export const BY_NAME = "/api/agents/setup-codes";
export const CLAIM = "/api/agenthub/setup";
export const LOOK = "/api/agenthub/setup/look";
export const MINUTE_MS = 60_000;

/** Makes a code for an agent by its name; throws if it is refused. */
export async function codeFor(by: Client, agent_name: string, more: object = {}): Promise<string> {
  const answer = await by.post(BY_NAME, { agent_name, ...more });
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.code;
}

/** A caller with an API key. */
export const withKey = ({ url }: { url: string }, key: string): Client =>
  new Client(url, { authorization: `Bearer ${key}` });

/** The caller's own agents. */
export const agentsOf = async (caller: Client) => (await caller.get("/api/agents")).body.agents;

/** A new user with an agent of their own. */
export async function ownerOf(
  server: TestServer,
): Promise<{ owner: Named; agentId: number; name: string; key: string }> {
  const owner = await server.newUser();
  const name = `Agent of ${owner.username}`;
  const claimed = await server.guest.post(CLAIM, { code: await codeFor(owner, name) });
  return { owner, agentId: claimed.body.agent_id, name, key: claimed.body.api_key };
}

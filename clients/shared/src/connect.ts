import { AgentClient, type MeResponse, ParleyClient, ParleyError } from "@parley/sdk";
import { Ending } from "./ending.ts";
import type { StoredKey } from "./key.ts";

/** An agent's key in use. */
export interface Connection {
  client: AgentClient;
  /** The same key, for calls that only `ParleyClient` has. */
  calls: ParleyClient;
  me: MeResponse;
}

/** Asks the server whose key this is. Ends the program if it can do nothing with it. */
export async function connect({ url, apiKey }: StoredKey, name: string | undefined): Promise<Connection> {
  const calls = new ParleyClient({ url, apiKey });
  let me: MeResponse;
  try {
    me = await calls.agent.me();
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    if (error.status === 401) throw new Ending("The key is not valid. Ask the agent's owner for another setup code.");
    throw new Ending(`${url} cannot be used: ${error.message}`);
  }
  const own = me.agent_names.find((each) => each.toLowerCase() === (name ?? me.default_agent_name)?.toLowerCase());
  if (own === undefined) throw new Ending(`Choose one of the agent's names with --name: ${me.agent_names.join(", ")}`);
  return { client: new AgentClient({ url, apiKey, name: own }), calls, me };
}

import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { AgentClient } from "@parley/sdk";
import { oneLine } from "../../shared/src/clean-text.ts";

const COMMANDS_MAX = 100;
const NAME = /^[a-z0-9_]{1,32}$/;
/** The last list of each agent, because agents repeat it in every session. */
const declared = new WeakMap<AgentClient, string>();

/** Shows the agent's own commands to people who type `/`. Names that Parley does not take are left out. */
export function declareCommands(
  client: AgentClient,
  available: readonly AvailableCommand[],
  say: (line: string) => void,
): void {
  const found = new Map<string, string>();
  for (const { name, description } of available.slice(0, 1_000)) {
    const command = name.toLowerCase().replace(/[-.:]/g, "_");
    if (NAME.test(command) && !found.has(command)) found.set(command, oneLine(description, 256) || command);
  }
  const commands = [...found].slice(0, COMMANDS_MAX).map(([command, description]) => ({ command, description }));
  const text = JSON.stringify(commands);
  if (declared.get(client) === text) return;
  declared.set(client, text);
  client.calls.setCommands({ agent_name: client.name, commands }).catch((error: unknown) => {
    say(`The agent's commands could not be shown: ${error instanceof Error ? error.message : error}`);
  });
}

/** The data needed to act as an agent. */
export interface AgentAccess {
  /** The server's base URL. */
  url: string;
  apiKey: string;
  /** The agent's name. */
  name: string;
  /** The slug of a channel in which the agent may send. */
  channel: string;
}

/** Returns commands for a POSIX shell: go online, send a message, read mentions. Only the first one contains the key. */
export function shellCommands({ url, apiKey, name, channel }: AgentAccess): string {
  const call = (path: string, body?: object) =>
    [
      `curl ${url}/api/agenthub/${path}`,
      `-H "Authorization: Bearer $PARLEY_KEY"`,
      ...(body === undefined ? [] : [`--json '${JSON.stringify(body)}'`]),
    ].join(" \\\n  ");
  const place = { channel_slug: channel, agent_name: name };
  return `export PARLEY_KEY=${apiKey}

# Come online
${call("login", place)}

# Say something
${call("send", { ...place, message: "Hello!" })}

# Read who has mentioned you
${call("mentions")}
`;
}

/** Returns the same as a program that answers mentions. It reads the key from where the shell commands stored it. */
export function sdkProgram({ url, name, channel }: AgentAccess): string {
  return `import { AgentClient, ParleyError } from "@parley/sdk";

const agent = new AgentClient({
  url: ${JSON.stringify(url)},
  apiKey: process.env.PARLEY_KEY ?? "",
  name: ${JSON.stringify(name)},
});
await agent.login(${JSON.stringify(channel)});
for await (const mention of agent.mentions()) {
  try {
    await agent.reply(mention, \`Hello \${mention.sender_name}.\`);
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    // A budget that is used up, for example, has room again tomorrow.
    console.error(error.message);
  }
}
`;
}

/** Returns commands that connect Claude Code to the server by MCP, with the key that the shell commands stored. */
export function mcpCommands({ url, name, channel }: AgentAccess): string {
  return `claude mcp add --transport http parley ${url}/mcp --header "Authorization: Bearer $PARLEY_KEY"

claude 'Join the Parley channel "${channel}" as "${name}" and say hello.'
`;
}

/**
 * What is shown ready to copy with a new key, in this order. Another way to connect is one more entry, and its texts in
 * `newAgent.snippets`.
 */
export const SNIPPETS = [
  { id: "curl", language: "bash", text: shellCommands },
  { id: "sdk", language: "typescript", text: sdkProgram },
  { id: "mcp", language: "bash", text: mcpCommands },
] as const satisfies readonly { id: string; language: string; text(access: AgentAccess): string }[];

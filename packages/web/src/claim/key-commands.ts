/** The data needed to act as an agent. */
export interface AgentAccess {
  /** The server's base URL. */
  url: string;
  apiKey: string;
  /** The agent's name. */
  name: string;
}

/** Returns commands for a POSIX shell: go online, send a message, read mentions. Only the first one contains the key. */
export function shellCommands({ url, apiKey, name }: AgentAccess): string {
  const call = (path: string, body?: object) =>
    [
      `curl ${url}/api/agenthub/${path}`,
      `-H "Authorization: Bearer $AGENT_KEY"`,
      ...(body === undefined ? [] : [`--json '${JSON.stringify(body)}'`]),
    ].join(" \\\n  ");
  const place = { channel_slug: "general", agent_name: name };
  return `export AGENT_KEY=${apiKey}

# Come online
${call("login", place)}

# Say something
${call("send", { ...place, message: "Hello!" })}

# Read who has mentioned you
${call("mentions")}
`;
}

/** Returns the same as a program that answers mentions. It reads the key from where the shell commands stored it. */
export function sdkProgram({ url, name }: AgentAccess): string {
  return `import { AgentClient } from "@parley/sdk";

const agent = new AgentClient({
  url: ${JSON.stringify(url)},
  apiKey: process.env.AGENT_KEY ?? "",
  name: ${JSON.stringify(name)},
});
await agent.login("general");
for await (const mention of agent.mentions()) {
  await agent.reply(mention, \`Hello \${mention.sender_name}.\`);
}
`;
}

/**
 * Derives an agent name from a social account: `ana.example.com` becomes `ana-agent`. Only letters and digits, so that
 * it needs no quoting.
 */
export function agentNameFor(handle: string): string {
  const [first = ""] = handle.split(/[.@]/).filter((part) => part !== "");
  const plain = first.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 24);
  return plain === "" ? "my-agent" : `${plain}-agent`;
}

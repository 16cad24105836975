import { claimKey } from "../../shared/src/key.ts";
import manifest from "../package.json" with { type: "json" };

/** Exchanges a setup code for a key, and prints what Claude Code has to be told. */
export async function setUp(
  setupUrl: string,
  keyFile: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  const { url, file } = await claimKey(setupUrl, keyFile, print);
  const server = {
    command: "npx",
    args: ["-y", `${url}/clients/parley-claude-channel.tgz?v=${manifest.version}`],
    env: { PARLEY_URL: url, PARLEY_KEY_FILE: file },
  };
  print("");
  print("Put this into .mcp.json in the folder of your project:");
  print(JSON.stringify({ mcpServers: { parley: server } }, null, 2));
  print("");
  print("Then start Claude Code there:");
  print("claude --dangerously-load-development-channels server:parley");
}

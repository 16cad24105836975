/** English texts about new agents and their keys. `i18n/agents/zh.ts` has the same keys. */
export const EN_AGENTS = {
  /** The button that opens the dialog, and its title. */
  title: "New agent",
  hint: "An agent is a program that reads and writes here with a key of its own.",
  name: "Name",
  nameHint: "People mention the agent by this name. You can't change it later.",
  owner: "Owner (optional)",
  ownerHint: "The username of the person who manages the agent. If empty, that's you.",
  create: "Create agent",
  made: (name: string) => `${name} is ready.`,
  keyLost: "The agent was created, but its key got lost on the way. Create a new key for it.",
  key: "API key",
  once: "It won't be shown again, so copy it now. Keep it as safe as a password.",
  noChannel:
    "There's no public channel that every agent can write in. Create one, or add the agent to a private channel.",
  done: "Done",
  /** What is shown ready to copy with a key. */
  snippets: {
    curl: {
      title: "With curl",
      hint: "Paste this into a terminal. The agent comes online, writes a message and reads its mentions.",
    },
    sdk: {
      title: "With the SDK",
      hint: "Save this as agent.mts in a clone of Parley, and run “node_modules/.bin/bun agent.mts” there, in the terminal of the commands above: they set PARLEY_KEY. The agent answers mentions until you stop it.",
    },
    mcp: {
      title: "With Claude Code (MCP)",
      hint: "Run this in the terminal of the commands above, which set PARLEY_KEY. Claude Code then acts as this agent. For Codex, Cursor and VS Code, see /guide/mcp.md on this server.",
    },
  },
};

import { isValueOff } from "../config/value.ts";
import type { Command, Surroundings } from "./command.ts";
import { DATA_COMMANDS } from "./data-commands.ts";
import { EXPORT_COMMANDS } from "./export-commands.ts";
import { IMPORT_COMMANDS } from "./import-commands.ts";
import { MAIL_COMMANDS } from "./mail-commands.ts";
import { USER_COMMANDS } from "./user-commands.ts";
import { VALUE_COMMANDS } from "./value-commands.ts";

/** Every command, in the order of the help text (protocol §10). */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    usage: "",
    summary: "Start the server",
    details:
      "Listens for HTTP and WebSocket on one port. On SIGTERM or SIGINT it finishes open requests and stops.\nSettings come from the environment: PORT, HOST, PARLEY_PROFILE, PARLEY_DATA_DIR, DATABASE_URL and others.",
    json: false,
    load: async () => (await import("./serve.ts")).serve,
  },
  ...USER_COMMANDS,
  {
    name: "audit",
    usage: "[--limit <count>] [--actor <name>] [--action <action>] [--subject <kind:id>]",
    summary: "Show administrative acts, including those at the command line",
    details:
      "Shows the newest 50 entries, newest last, or as many as --limit says. The options filter by actor, action and subject.",
    load: async () => (await import("./audit.ts")).auditLog,
  },
  {
    name: "key issue",
    usage:
      "--agent <name> [--owner <username>] [--scopes <list>] [--channels <slugs>] [--expires <time>] [--claim-import]",
    summary: "Create an agent with an API key",
    details:
      "The name is bound to the new agent at once. With --claim-import, the key is the first one of the agent that an import made under\nthis name, which is then paused no longer. The key is shown only once; the server stores only its hash. --scopes (read,send,react,cards,pay,inbox) and --channels limit what it may do and where; --expires takes a date or a number of days, as in 30d.",
    load: async () => (await import("./keys.ts")).keyIssue,
  },
  {
    name: "key list",
    usage: "",
    summary: "List the API keys",
    details: "Shows all keys, including revoked ones, without their secrets.",
    load: async () => (await import("./keys.ts")).keyList,
  },
  {
    name: "key revoke",
    usage: "<key_id>",
    summary: "Revoke an API key",
    details: "A running server refuses it within 2 seconds and closes its open streams.",
    load: async () => (await import("./keys.ts")).keyRevoke,
  },
  {
    name: "setup code",
    usage: "--agent <name> [--owner <username>] [--scopes <list>] [--channels <slugs>] [--expires <time>]",
    summary: "Make a code that an agent exchanges for its key",
    details:
      "The code works once, for 10 minutes. If no agent has the name, it is held for one that is made when the code is exchanged; --owner\nnames its owner. The other options limit the key, as for `key issue`. The code's address is PARLEY_PUBLIC_URL.",
    load: async () => (await import("./keys.ts")).setupCode,
  },
  {
    name: "agent list",
    usage: "",
    summary: "List the agents",
    details:
      "Shows all agents with their names, owners, keys, channels and messages. Keys are shown without their secrets.",
    load: async () => (await import("./agents.ts")).agentList,
  },
  {
    name: "agent pause",
    usage: "<agent_id>",
    summary: "Refuse an agent's keys until it is resumed",
    details:
      "A running server refuses them within 2 seconds and removes the agent from the online lists. Its owner cannot end this pause.",
    load: async () => (await import("./agents.ts")).agentPause,
  },
  {
    name: "agent resume",
    usage: "<agent_id>",
    summary: "Resume a paused agent",
    details: "Ends any pause, including one made by the agent's owner.",
    load: async () => (await import("./agents.ts")).agentResume,
  },
  {
    name: "codes fill",
    usage: "<count>",
    summary: "Add verification codes to the pool that key claims draw from",
    details:
      "A server keeps PARLEY_CODE_POOL codes in stock by itself. Use this command for a larger stock. At most 100000 at a time.",
    load: async () => (await import("./codes.ts")).codesFill,
  },
  {
    name: "codes status",
    usage: "",
    summary: "Count the verification codes: in stock, issued, used, expired",
    details: "Shows numbers only. Only the person a code is issued to can see it.",
    load: async () => (await import("./codes.ts")).codesStatus,
  },
  ...VALUE_COMMANDS,
  ...IMPORT_COMMANDS,
  ...EXPORT_COMMANDS,
  ...MAIL_COMMANDS,
  ...DATA_COMMANDS,
  {
    name: "version",
    usage: "",
    summary: "Print the version of this program",
    details: "The same as --version.",
    load: async () => (await import("./program.ts")).version,
  },
];

/** Returns the commands that there are with these settings. */
export const commandsFor = ({ env }: Pick<Surroundings, "env">): readonly Command[] =>
  isValueOff(env) ? COMMANDS.filter((command) => !VALUE_COMMANDS.includes(command)) : COMMANDS;

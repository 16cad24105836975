import type { Command } from "./command.ts";

/** Commands that move a team from this server to another chat. */
export const EXPORT_COMMANDS: readonly Command[] = [
  {
    name: "export",
    usage:
      "--format mattermost|slack <folder> [--channels <list>] [--users <list>] [--since <date>] [--with-files] [--yes]",
    summary: "Write channels and messages for another chat",
    details:
      "Writes what Mattermost's bulk import reads, or what Slack exports and most chats read. The folder must be new or empty; a name that\nends with .zip makes a ZIP. Works beside a running server; a message that is written meanwhile is not in the export. --channels\ntakes public (the default), private, direct, all and names, separated by commas; -name leaves one out, and name=slug renames\none. --users takes only these people and their messages, or all but -name. --since leaves out older messages: a date\n(2024-03-01) or a time with its zone. --with-files writes the bytes of files; without it, messages only name them. --yes answers\nthe question before private things. A report is written beside the folder. After an interruption, repeat the command.\nUsers download copies of their own data in the page; this command is for the operator.",
    hasSmallHeap: true,
    load: async () => (await import("./export.ts")).exportCommand,
  },
];

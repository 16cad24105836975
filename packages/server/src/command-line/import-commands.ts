import type { Command } from "./command.ts";

/** Commands that move a team from another chat to this server. */
export const IMPORT_COMMANDS: readonly Command[] = [
  {
    name: "import slack",
    usage: "<file or folder> [--dry-run] [--channels <list>] [--since <date>] [--max-size <GiB>]",
    summary: "Import an export of Slack",
    details:
      "Takes the ZIP that Slack gives, or the folder to which it was unpacked, also with files that slack-advanced-exporter or\nslackdump added. --dry-run reads and counts everything and changes nothing; it leaves a report, and a proposal of what becomes\nof people (users.csv). --channels takes public (the default), private, direct, all and names, separated by commas; -name leaves\none out, and name=slug renames one. --since leaves out older messages: a date (2024-03-01) or a time with its zone. --max-size\nallows an archive to unpack to more than is expected of its size.",
    load: async () => (await import("./imports.ts")).importSlack,
  },
];

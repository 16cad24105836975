import type { Command } from "./command.ts";

/** Commands that move a team from another chat to this server. */
export const IMPORT_COMMANDS: readonly Command[] = [
  {
    name: "import slack",
    usage: "<file or folder> [--dry-run] [--channels <list>] [--since <date>] [--with-files] [--max-size <GiB>]",
    summary: "Import an export of Slack",
    details:
      "Takes the ZIP that Slack gives, or the folder to which it was unpacked, also with files that slack-advanced-exporter or\nslackdump added. --dry-run reads and counts everything and changes nothing; it leaves a report, and a proposal of what becomes\nof people (users.csv). --channels takes public (the default), private, direct, all and names, separated by commas; -name leaves\none out, and name=slug renames one. --since leaves out older messages: a date (2024-03-01) or a time with its zone.\n--with-files takes the files whose bytes are in the export; without it, messages only name them. --max-size allows an archive to\nunpack to more than is expected of its size.",
    load: async () => (await import("./import-slack.ts")).importSlack,
  },
];

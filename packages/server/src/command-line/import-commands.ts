import type { Format } from "../imports/sources/format.ts";
import { FORMATS } from "../imports/sources/formats.ts";
import type { Command } from "./command.ts";

const OPTIONS =
  "--dry-run reads and counts everything and changes nothing; it leaves a report, and a proposal of what becomes of people\n(users.csv). --channels takes public (the default), private, direct, all and names, separated by commas; -name leaves one out,\nand name=slug renames one. --since leaves out older messages: a date (2024-03-01) or a time with its zone. --with-files takes\nthe files whose bytes are in the export, and with fetch also those of which it has links; without it, messages only name them.\n--users takes the proposal back, with what becomes of whom: new, use (an account that is there), agent or skip. --as-owner\nnames the account that owns public channels whose creator is unknown. --keep-closed writes everything and shows nothing, until\nimport open. --late says what becomes of messages of a later export that cannot be added to a channel that is here: channel\n(a second channel, the default) or skip. --max-size allows an archive to unpack to more than is expected of its size. --yes answers the questions: before\nprivate things, before administrators' accounts are used, and if many messages are bad. After an interruption, repeat the\ncommand with the same file.";
const OPEN = "--open takes all, or names of channels that everybody may read: the export does not say who may.";
const ZONE = "--zone names the time zone of times that have none (UTC).";

const importCommand = (format: Format): Command => ({
  name: `import ${format.id}`,
  usage: `<file or folder> [--dry-run] [--channels <list>]${format.hasOpen ? " [--open <list>]" : ""} [--since <date>]${format.hasZone ? " [--zone <name>]" : ""} [--with-files [local|fetch]] [--users <map.csv>] [--as-owner <name>] [--keep-closed] [--late <channel|skip>] [--max-size <GiB>] [--yes]`,
  summary: `Import an export of ${format.name}`,
  details: [format.help, ...(format.hasOpen ? [OPEN] : []), ...(format.hasZone ? [ZONE] : []), OPTIONS].join("\n"),
  hasSmallHeap: true,
  load: async () => (await import("./import-source.ts")).importFrom(format),
});

/** Commands that move a team from another chat to this server. */
export const IMPORT_COMMANDS: readonly Command[] = [
  ...FORMATS.map(importCommand),
  {
    name: "import list",
    usage: "",
    summary: "List the imports from other chats",
    details: "Shows those that are written, closed, open or undone, the oldest first.",
    load: async () => (await import("./imports.ts")).importList,
  },
  {
    name: "import show",
    usage: "<id>",
    summary: "Show what an import has taken",
    details: "Counts what was taken and what was here already, and says what was left out and why.",
    load: async () => (await import("./imports.ts")).importShow,
  },
  {
    name: "import open",
    usage: "<id>",
    summary: "Show an import to everybody whom it concerns",
    details: "Works beside a running server, which shows it within 2 seconds. Nobody is notified.",
    load: async () => (await import("./imports.ts")).importOpen,
  },
  {
    name: "import links",
    usage: "<id> [--days <days>]",
    summary: "Print links with which people claim the accounts that an import made for them",
    details:
      "Prints CSV: username, e-mail address, link. Each link works once, for 14 days or as many as --days says, and replaces an earlier one.\nPeople who have claimed their accounts or are suspended get none. Addresses come from the other chat and are not verified.\nThe links' address is PARLEY_PUBLIC_URL.",
    load: async () => (await import("./import-links.ts")).importLinks,
  },
  {
    name: "import undo",
    usage: "<id>",
    summary: "Remove everything that an import has made",
    details:
      "Works while nobody has written, reacted or joined in its channels, or claimed one of its accounts. The first step hides all of it;\nif the command is ended, run it again.",
    load: async () => (await import("./imports.ts")).importUndo,
  },
];

import type { SourceFormat } from "../imports/source.ts";
import type { ExportWork } from "./export-work.ts";

/** A form in which the server's data is written for other chats. */
export interface ExportFormat {
  /** As the command line names it, like the format that an import reads. */
  readonly id: SourceFormat;
  readonly name: string;
  /** The things that this form cannot say, as sentences. */
  readonly lacks: readonly string[];
  /** Writes everything but what makes the target complete. Loads its code when it runs. */
  write(work: ExportWork): Promise<void>;
}

/** The things that no other chat has. */
const EVERYWHERE = [
  "Cards, polls, red packets and forwarded messages are text; stickers and voice notes are files.",
  "An answer outside of a thread quotes the message that it answers.",
  "Read positions, drafts, saved messages, points, earlier texts of edited messages, owners and settings of channels are not in the export.",
];

/** The forms in which the server's data is written. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [
  {
    id: "mattermost",
    name: "Mattermost",
    lacks: [
      ...EVERYWHERE,
      "Mattermost has no descriptions of files, and does not show a reply in the channel, too.",
      "Names of agents are in lower case and without spaces; a deleted message that has replies says so in its text.",
    ],
    write: async (work) => (await import("./mattermost/write-mattermost.ts")).writeMattermost(work),
  },
  {
    id: "slack",
    name: "Slack",
    lacks: [
      ...EVERYWHERE,
      "Slack's form has no pictures of people and of emoji, and no headings, tables and escapes in texts.",
      "Names are in lower case and without spaces.",
    ],
    write: async (work) => (await import("./slack/write-slack.ts")).writeSlack(work),
  },
];

import { type ImportReport, manyBadMessages } from "./report.ts";

const number = (count: number): string => count.toLocaleString("en-US");

/** Returns the report as text, for the person at the terminal. */
export function summaryOf(report: ImportReport): string {
  const { counts, left_out, lacks, workspace } = report;
  const isDry = report.status === "dry_run";
  const bad = manyBadMessages(report);
  const replaced = report.replaced_characters;
  return [
    ...lacks,
    ...(lacks.length > 0 ? [""] : []),
    isDry ? `An import of ${workspace.name} would take:` : `The import of ${workspace.name} has taken:`,
    ...countLines(counts),
    ...(left_out.length > 0
      ? ["", isDry ? "It would leave out:" : "It has left out:", ...left_out.map(leftOutLine)]
      : []),
    ...laterLines(report),
    ...(choosesNothing(report)
      ? ["", "No channel and no conversation is chosen. --channels all takes private ones, too."]
      : []),
    ...(replaced > 0
      ? ["", `${number(replaced)} characters that no text can have ${isDry ? "would be" : "were"} replaced.`]
      : []),
    ...(bad === null || !isDry
      ? []
      : [
          "",
          `Something is wrong with ${number(bad)} messages, more than 1 % of all: the import will ask before it goes on.`,
        ]),
  ].join("\n");
}

/** Says where the messages of channels are that were here. */
function laterLines({ later, status }: ImportReport): string[] {
  if (later === undefined) return [];
  const { added, earlier } = later;
  const there = earlier.reduce((sum, { messages }) => sum + messages, 0);
  const slugs = earlier
    .slice(0, 5)
    .map(({ channel_slug }) => `#${channel_slug}`)
    .join(", ");
  return [
    ...(added > 0
      ? [
          "",
          `${number(added)} messages ${status === "closed" ? "will follow" : "follow"} those of channels that were here.`,
        ]
      : []),
    ...(there > 0
      ? ["", `${number(there)} messages could not be added to their channels, and are in others: ${slugs}.`]
      : []),
  ];
}

/** True if the choice of channels leaves out all of them. */
const choosesNothing = ({ counts, left_out }: ImportReport): boolean =>
  counts.channels.taken + counts.channels.known === 0 && left_out.some(({ reason }) => reason === "not_chosen");

/** Returns a line for each count. */
export const countLines = (counts: ImportReport["counts"]): string[] =>
  Object.entries(counts).map(
    ([name, { taken, known }]) =>
      `  ${name.padEnd(10)} ${number(taken).padStart(12)}${known === 0 ? "" : `  (${number(known)} ${known === 1 ? "was" : "were"} here)`}`,
  );

interface LeftOut {
  readonly kind: string;
  readonly reason: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/** Returns a line for what is left out for one reason. */
export function leftOutLine({ kind, reason, count, examples }: LeftOut): string {
  const words = `${kind} (${reason})`;
  return `  ${words.padEnd(44)} ${number(count).padStart(10)}  ${printable(examples.slice(0, 2).join(", "))}`;
}

/** Ids of the export may have any characters. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, "?");

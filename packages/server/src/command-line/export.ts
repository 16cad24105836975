import { nameKey } from "../accounts/names/names.ts";
import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../exports/export-format.ts";
import type { ExportChannel } from "../exports/read/channels.ts";
import type { PeopleChoice } from "../exports/read/people.ts";
import { ExportRefused } from "../exports/refusal.ts";
import { type ExportReport, reportPath, runExport } from "../exports/run-export.ts";
import { countLines, leftOutLine } from "../imports/report/summary.ts";
import { SourceError } from "../imports/source.ts";
import { CommandError, fileAt, type Invocation, print, UsageError } from "./command.ts";
import { partOf } from "./import-options.ts";
import { ask } from "./import-questions.ts";
import { openWritingTool } from "./tool.ts";

/** Time between two lines of progress. */
const LINE_MS = 2_000;

/** Writes channels and messages in the form of another chat. */
export async function exportCommand(call: Invocation): Promise<number> {
  const format = formatOf(call);
  const choice = { ...partOf(call), withFiles: call.values["with-files"] === true, people: peopleOf(call) };
  const path = fileAt(call, call.positionals[0] ?? "");
  await using tool = await openWritingTool(call);
  const agree = (channels: readonly ExportChannel[]) => ask(call, questionsOf(channels), async () => {}, "exported");
  try {
    const report = await runExport(tool.ctx, { format, path, choice, agree, progress: progressOf(call) });
    print(call, { ...report, report: reportPath(path) }, wordsOf(report, format));
    return 0;
  } catch (error) {
    const isRefusal = error instanceof ExportRefused || error instanceof SourceError;
    throw isRefusal ? new CommandError(error.message) : error;
  }
}

function formatOf({ values }: Invocation): ExportFormat {
  const format = EXPORT_FORMATS.find(({ id }) => id === values.format);
  if (format === undefined) throw new UsageError(`--format takes ${EXPORT_FORMATS.map(({ id }) => id).join(" or ")}.`);
  return format;
}

/** Reads `--users`: names, or names with a minus. */
function peopleOf({ values: { users = "" } }: Invocation): PeopleChoice {
  const names = String(users)
    .split(",")
    .map((name) => name.trim().replace(/^(-?)@/, "$1"))
    .filter((name) => name !== "");
  const [without, only] = [names.filter((name) => name.startsWith("-")), names.filter((name) => !name.startsWith("-"))];
  return { only: new Set(only.map(nameKey)), without: new Set(without.map((name) => nameKey(name.slice(1)))) };
}

function questionsOf(channels: readonly ExportChannel[]): string[] {
  const closed = channels.filter(({ kind }) => kind !== "public");
  const messages = closed.reduce((sum, each) => sum + each.messages, 0);
  if (closed.length === 0) return [];
  return [
    `This export takes ${counted(closed.length, "private channel or conversation", "private channels and conversations")} with ${counted(messages, "message")}. Whoever has the export can read them, and is not their member here. The people in them should know.`,
  ];
}

function progressOf(call: Invocation): (read: number, all: number) => void {
  let last = systemClock.monotonic();
  return (read, all) => {
    const now = systemClock.monotonic();
    if (now - last < LINE_MS) return;
    last = now;
    call.err(`Exporting: ${read} of ${all} messages (${Math.floor((100 * read) / Math.max(all, 1))} %).\n`);
  };
}

function wordsOf({ counts, left_out, lacks, path }: ExportReport, { name }: ExportFormat): string {
  return [
    ...lacks,
    "",
    `The export for ${name} has taken:`,
    ...countLines(counts),
    ...(left_out.length === 0 ? [] : ["", "It has left out:", ...left_out.map(leftOutLine)]),
    "",
    `Export: ${path}`,
    `Report: ${reportPath(path)}`,
  ].join("\n");
}

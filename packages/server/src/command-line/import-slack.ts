import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { openArchive } from "../imports/archive/open-archive.ts";
import { ChoiceError, channelChoice } from "../imports/channel-choice.ts";
import type { Choice } from "../imports/chosen-part.ts";
import { dryRun } from "../imports/report/dry-run.ts";
import { summaryOf } from "../imports/report/summary.ts";
import { openSlack } from "../imports/slack/open-slack.ts";
import { SourceError } from "../imports/source.ts";
import { CommandError, fileAt, type Invocation, print, UsageError } from "./command.ts";

const GIB = 1024 ** 3;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Messages between two lines of progress. */
const LINE_EVERY = 50_000;

export async function importSlack(call: Invocation): Promise<number> {
  const [config, choice] = [loadConfig(call.env), choiceOf(call)];
  const maxBytes = maxBytesOf(call);
  // The writing begins here: stage what `chosenPart` leaves, then `writeImport(ctx, stage, …)`.
  if (call.values["dry-run"] !== true) throw new CommandError("Only --dry-run is there so far.");
  try {
    const archive = await openArchive(fileAt(call, call.positionals[0] ?? ""), { maxBytes });
    await using source = await openSlack(archive, systemClock);
    const progress = progressOf(call);
    const { report, path, usersPath } = await dryRun(source, choice, config.dataDir, progress.read);
    progress.end(report.counts.messages.taken);
    const { import_id, format, status, counts, left_out } = report;
    print(
      call,
      { import_id, format, status, counts, left_out, report: path },
      [...warnings(config), summaryOf(report), "", `Report: ${path}`, `People: ${usersPath}`].join("\n"),
    );
    return 0;
  } catch (error) {
    if (error instanceof SourceError) throw new CommandError(error.message);
    throw error;
  }
}

function choiceOf({ values }: Invocation): Choice {
  const { channels, since } = values;
  try {
    return {
      channels: channelChoice(typeof channels === "string" ? channels : undefined),
      since: typeof since === "string" ? timeOf(since) : null,
      withFiles: values["with-files"] === true,
    };
  } catch (error) {
    if (error instanceof ChoiceError) throw new UsageError(`--channels: ${error.message}`);
    throw error;
  }
}

/** A day begins at midnight UTC. */
function timeOf(text: string): number {
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new UsageError("--since takes a date, as in 2024-03-01, or 2024-03-01T09:00Z.");
  return time;
}

function maxBytesOf({ values }: Invocation): number | null {
  const size = values["max-size"];
  if (typeof size !== "string") return null;
  if (!/^\d{1,6}$/.test(size)) throw new UsageError("--max-size takes a number of GiB.");
  return Number(size) * GIB;
}

/** The first line of a dry run says it if everybody may read what becomes public. */
const warnings = ({ guestRead }: Config): string[] =>
  guestRead
    ? ["Guests can read public channels of this server, without an account. PARLEY_GUEST_READ=false closes them.", ""]
    : [];

/** Prints on standard error how far the reading is, and at last how fast it was. */
function progressOf(call: Invocation): { read: (count: number) => void; end: (count: number) => void } {
  const started = systemClock.monotonic();
  let printed = 0;
  const line = (count: number, words: string): void => {
    const seconds = (systemClock.monotonic() - started) / 1000;
    const speed = Math.round(count / Math.max(seconds, 0.001));
    call.err(`${words} ${count} messages in ${seconds.toFixed(1)} s (${speed} a second).\n`);
  };
  return {
    read(count) {
      if (count < printed + LINE_EVERY) return;
      printed = count;
      line(count, "Reading:");
    },
    end: (count) => line(count, "Read"),
  };
}

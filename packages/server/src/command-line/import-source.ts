import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { openArchive } from "../imports/archive/open-archive.ts";
import { ImportRefused } from "../imports/one-at-a-time.ts";
import { PeopleMapError, strangersIn } from "../imports/people-map.ts";
import { dryRun } from "../imports/report/dry-run.ts";
import { dryRunReport, type ImportReport } from "../imports/report/report.ts";
import { summaryOf } from "../imports/report/summary.ts";
import { tooOldFor } from "../imports/retention.ts";
import { removeOldFiles } from "../imports/run/old-files.ts";
import { type FinishedImport, runImport } from "../imports/run/run-import.ts";
import { importsFolder, stageFor } from "../imports/run/staged.ts";
import { type OpenSource, SourceError } from "../imports/source.ts";
import type { Format } from "../imports/sources/format.ts";
import { openSource } from "../imports/sources/open-source.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";
import { choiceOf, maxBytesOf, ownerOf, peopleOf, sourceOptionsOf } from "./import-options.ts";
import { importProgress } from "./import-progress.ts";
import { ask, questionsOf } from "./import-questions.ts";
import { openImportTool } from "./imports.ts";
import { isInUse } from "./running-server.ts";
import type { Tool } from "./tool.ts";

/** Returns the command that imports the exports of a chat. */
export const importFrom =
  (format: Format) =>
  async (call: Invocation): Promise<number> => {
    const [maxBytes, options] = [maxBytesOf(call), sourceOptionsOf(call)];
    const config = loadConfig(call.env);
    try {
      const temporaryFolder = importsFolder(config.dataDir);
      const archive = await openArchive(fileAt(call, call.positionals[0] ?? ""), { maxBytes, temporaryFolder });
      await using source = await openSource(archive, format, options);
      await removeOldFiles(config.dataDir, systemClock.now());
      if (call.values["dry-run"] === true) await dryRunOf(call, format, source, config);
      else {
        await using tool = await openImportTool(call);
        await importInto(call, format, source, tool);
      }
      return 0;
    } catch (error) {
      const isRefusal = [SourceError, ImportRefused, PeopleMapError].some((kind) => error instanceof kind);
      if (isRefusal && error instanceof Error) throw new CommandError(error.message);
      throw error;
    }
  };

async function dryRunOf(call: Invocation, format: Format, source: OpenSource, config: Config): Promise<void> {
  const choice = choiceOf(call, await peopleOf(call, null));
  const progress = importProgress(call);
  const { report, path, usersPath } = await dryRun(source, choice, config.dataDir, progress.reading);
  progress.wasRead(report.counts.messages.taken);
  const words = [...warnings(config, format), summaryOf(report), "", `Report: ${path}`, `People: ${usersPath}`];
  print(call, lineOf(report, path), words.join("\n"));
}

async function importInto(
  call: Invocation,
  format: Format,
  source: OpenSource,
  { ctx, config, database }: Tool,
): Promise<void> {
  const [people, ownerId] = [await peopleOf(call, ctx), await ownerOf(call, ctx)];
  const choice = choiceOf(call, people);
  const progress = importProgress(call);
  await using staged = await stageFor(source, choice, config.dataDir, progress.reading);
  const { channels, withFiles, fetchesFiles } = choice;
  const about = { format: format.id, lacks: source.lacks, choice: channels, withFiles, fetchesFiles };
  const read = await dryRunReport(staged.stage, about);
  progress.wasRead(read.counts.messages.taken);
  for (const line of warnings(config, format)) call.err(`${line}\n`);
  for (const id of strangersIn(people, staged.stage.users()))
    call.err(`The table of people names ${JSON.stringify(id)}, who is not in this part of the export.\n`);
  await ask(call, questionsOf(read, people, tooOldFor(ctx, staged.stage)), () => staged.discard());
  const done = await runImport(ctx, staged, {
    choice,
    people,
    ownerId,
    keepsClosed: call.values["keep-closed"] === true,
    fileHosts: format.fileHosts,
    rests: await isInUse(config, database),
    progress: progress.writing(staged.stage.size),
    pictureProgress: progress.pictures,
  });
  print(call, lineOf(done.report, done.path), wordsOf(done));
}

function wordsOf({ report, path, isRepeated }: FinishedImport): string {
  const id = report.import_id;
  if (isRepeated)
    return `All of it was imported before, as import ${id}. \`parley import show ${id}\` says what it has taken.\nReport: ${path}`;
  const next =
    report.status === "closed"
      ? `Nobody sees it yet. Show it with \`parley import open ${id}\`.`
      : `It is open. \`parley import links ${id}\` makes the links by which people claim their names.`;
  return [summaryOf(report), "", next, `Report: ${path}`].join("\n");
}

/** Returns the record that `--json` prints. The file of the report says more. */
const lineOf = ({ import_id, format, status, counts, left_out }: ImportReport, path: string): object => ({
  import_id,
  format,
  status,
  counts,
  left_out,
  report: path,
});

/** Said first: what the settings of this server mean for an import. */
const warnings = ({ guestRead, publicUrl }: Config, { name }: Format): string[] => {
  const lines = [
    ...(guestRead
      ? ["Guests can read public channels of this server, without an account. PARLEY_GUEST_READ=false closes them."]
      : []),
    ...(publicUrl === null
      ? [`PARLEY_PUBLIC_URL is not set, so links between messages will lead to ${name} as they do now.`]
      : []),
  ];
  return lines.length === 0 ? [] : [...lines, ""];
};

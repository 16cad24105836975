import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Choice, chosenPart } from "../chosen-part.ts";
import type { OpenSource } from "../source.ts";
import { stageExport } from "../stage/stage-export.ts";
import { dryRunReport, type ImportReport } from "./report.ts";
import { proposedNames, usersCsv } from "./users-proposal.ts";

/** A report, and where its files are. */
export interface DryRun {
  readonly report: ImportReport;
  /** The JSON file of the report. */
  readonly path: string;
  /** The proposal for `--users`. */
  readonly usersPath: string;
}

/**
 * Reads a whole export, and says what an import would do. It writes a report and the proposal `users.csv` into a folder of
 * its own below `<data>/imports/dry-run`, which only this user may read; the stage is removed again.
 */
export async function dryRun(
  source: OpenSource,
  choice: Choice,
  dataDir: string,
  progress: (read: number) => void,
): Promise<DryRun> {
  const parent = join(dataDir, "imports", "dry-run");
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, `${source.format}-`));
  const stagePath = join(folder, "stage.sqlite");
  try {
    await using stage = await stageExport(chosenPart(source, choice), stagePath, progress);
    const report = await dryRunReport(stage, {
      format: source.format,
      lacks: source.lacks,
      choice: choice.channels,
      withFiles: choice.withFiles,
      fetchesFiles: choice.fetchesFiles,
    });
    const [path, usersPath] = [join(folder, "report.json"), join(folder, "users.csv")];
    const users = stage.users();
    await writeFile(usersPath, usersCsv(users, await proposedNames(users)), { mode: 0o600 });
    await writeFile(path, `${JSON.stringify({ ...report, report: path }, null, 1)}\n`, { mode: 0o600 });
    return { report, path, usersPath };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(stagePath, { force: true });
  }
}

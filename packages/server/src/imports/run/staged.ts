import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Choice, chosenPart } from "../chosen-part.ts";
import type { OpenSource } from "../source.ts";
import { stageExport } from "../stage/stage-export.ts";
import type { CountedStage } from "../stage.ts";

/** A stage that stays on the disk until its import is written, and what was staged. */
export interface Staged extends AsyncDisposable {
  readonly stage: CountedStage;
  readonly source: OpenSource;
  /** Closes and removes the stage. */
  discard(): Promise<void>;
}

/** Where the stages, reports and proposals of imports are. Only the user who runs Parley may read it. */
export const importsFolder = (dataDir: string): string => join(dataDir, "imports");

/** Where the stage of an export is, by its fingerprint. */
export const stagePath = (dataDir: string, fingerprint: string): string =>
  join(importsFolder(dataDir), "staged", `${fingerprint}.sqlite`);

/**
 * Stages the chosen part of an export below the data folder. The stage of the same part is used again, so that an import
 * that was interrupted need not read its export twice.
 */
export async function stageFor(
  source: OpenSource,
  choice: Choice,
  dataDir: string,
  progress: (read: number) => void,
): Promise<Staged> {
  const part = chosenPart(source, choice);
  const path = stagePath(dataDir, part.fingerprint);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const stage = await stageExport(part, path, progress);
  const close = () => stage[Symbol.asyncDispose]();
  return {
    stage,
    source: part,
    async discard() {
      await close();
      await rm(path, { force: true });
    },
    [Symbol.asyncDispose]: close,
  };
}

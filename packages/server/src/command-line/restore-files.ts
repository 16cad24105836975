import type { Config } from "../config/config.ts";
import type { CopyReport } from "../files/storage/copy-bytes.ts";
import { fileAt, type Invocation } from "./command.ts";
import { copyFilesBack, type FilesSource, textOfRestore } from "./files.ts";
import { programName } from "./program.ts";

/** Returns the folder of `--with-files`; null without it. */
export const withFiles = (call: Invocation): FilesSource =>
  typeof call.values["with-files"] === "string" ? { folder: fileAt(call, call.values["with-files"]) } : null;

/** The database is restored whatever happens here; `files restore` repeats it. */
export async function filesAfterRestore(
  call: Invocation,
  config: Config,
  from: FilesSource,
): Promise<{ report: CopyReport | null; text: string }> {
  try {
    const report = await copyFilesBack(call, config, from);
    return { report, text: textOfRestore(report) };
  } catch (error) {
    const reason = (error as Error).message;
    const text = `The files could not be checked (${reason}). Check them with: ${programName()} files restore <folder of a backup>`;
    return { report: null, text };
  }
}

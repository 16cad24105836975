import { ExportRefused } from "../refusal.ts";
import { openFolderTarget } from "./folder-target.ts";
import type { Target } from "./target.ts";
import { openZipTarget } from "./zip-target.ts";

/** Opens a new ZIP if the path ends so, else an empty folder. Errors: `ExportRefused`. */
export async function openTarget(path: string): Promise<Target> {
  try {
    return await (/\.zip$/i.test(path) ? openZipTarget(path) : openFolderTarget(path));
  } catch (error) {
    throw error instanceof ExportRefused
      ? error
      : new ExportRefused(`${path} cannot be written: ${(error as Error).message}`);
  }
}

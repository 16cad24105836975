import { rm } from "node:fs/promises";
import { join } from "node:path";
import { importsFolder } from "../run/staged.ts";

/** Removes the report of an import that was undone: it has the names of people. */
export const removeReport = (dataDir: string, importId: number): Promise<void> =>
  rm(join(importsFolder(dataDir), String(importId)), { recursive: true, force: true });

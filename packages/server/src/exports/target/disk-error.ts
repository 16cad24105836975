import { ExportRefused } from "../refusal.ts";

const FULL = /^(ENOSPC|EDQUOT|EFBIG)$/;

/** Returns what to tell the person at the terminal if the disk has no room; any other error as it is. */
export function diskError(path: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!FULL.test(code)) return error;
  return new ExportRefused(
    `There is no room for ${path}: the disk is full. Free some space, then run the command again.`,
  );
}

import { closeSync, openSync } from "node:fs";

/**
 * Creates an empty file that only this user can read; SQLite gives its side files the same mode. An existing file is
 * not even opened: closing it would drop every lock that this process holds on it through SQLite.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

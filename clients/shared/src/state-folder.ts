import {
  appendFileSync,
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The folder of a program beside its key. Only the user can read it. */
export class StateFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  }

  /** Returns a file's JSON; null if there is none, or only a part of one that a full disk left. */
  read(name: string): unknown {
    try {
      return JSON.parse(readFileSync(join(this.path, name), "utf8"));
    } catch (error) {
      if (error instanceof SyntaxError || isMissing(error)) return null;
      throw error;
    }
  }

  /** Replaces a file, so that a reader finds the old content or the new one, after a crash too. */
  write(name: string, value: unknown): void {
    const draft = join(this.path, `${name}.${process.pid}.new`);
    const file = openSync(draft, "w", 0o600);
    try {
      writeFileSync(file, JSON.stringify(value));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, join(this.path, name));
  }

  /** Appends a line and waits until it is on the disk. */
  append(name: string, line: string): void {
    const file = openSync(join(this.path, name), "a", 0o600);
    try {
      appendFileSync(file, line);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  lines(name: string): string[] {
    try {
      return readFileSync(join(this.path, name), "utf8").split("\n");
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Takes the lock of this folder. Returns the id of the process that has it; null: this one has it now. */
  lock(name: string): number | null {
    const path = join(this.path, name);
    for (;;) {
      try {
        writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
        return null;
      } catch (error) {
        if (!isCode(error, "EEXIST")) throw error;
      }
      const holder = Number(this.lines(name)[0] ?? "");
      if (holder === process.pid) return null;
      if (isRunning(holder)) return holder;
      rmSync(path, { force: true });
    }
  }

  /** Gives the lock back, unless another process has taken it. */
  unlock(name: string): void {
    if (this.lines(name)[0] === String(process.pid)) rmSync(join(this.path, name), { force: true });
  }

  /** Takes the lock from a process that does not answer. */
  breakLock(name: string): void {
    rmSync(join(this.path, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user.
    return isCode(error, "EPERM");
  }
}

const isMissing = (error: unknown): boolean => isCode(error, "ENOENT");

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

import { appendFileSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small file system that tests can fill. It requires permission to mount. */
export class SmallDisk implements Disposable {
  readonly path: string;

  /** Throws if mounting is not permitted here. */
  constructor(mebibytes: number) {
    this.path = mkdtempSync(join(tmpdir(), "parley-disk-"));
    try {
      run("mount", "-t", "tmpfs", "-o", `size=${mebibytes}m,mode=700`, "tmpfs", this.path);
    } catch (error) {
      rmSync(this.path, { recursive: true });
      throw error;
    }
  }

  /** Fills the disk, except for this many bytes. */
  fill(leave = 0): void {
    const { bavail, bsize } = statfsSync(this.path);
    try {
      appendFileSync(join(this.path, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - leave)));
    } catch (error) {
      // A server that writes at the same time may take some of it: then the disk is full.
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }

  free(): void {
    rmSync(join(this.path, "ballast"));
  }

  [Symbol.dispose](): void {
    // Unmounts lazily, because a child that was just killed may still hold files.
    run("umount", "-l", this.path);
    rmSync(this.path, { recursive: true });
  }
}

/** Returns the reason why mounting does not work here; null if it does. */
export function problemOfMounting(): string | null {
  try {
    new SmallDisk(1)[Symbol.dispose]();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function run(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(words, { stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${words[0]}: ${stderr.toString().trim()}`);
}

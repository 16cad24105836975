import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";

const root = join(import.meta.dir, "..");

/** Builds the executable and copies it to this path, as if to another machine. */
export async function buildExecutable(file: string): Promise<void> {
  const built = join(temporaryFolder(), "parley");
  const build = Bun.spawn([process.execPath, "tools/bundle.ts", "--executable", built], { cwd: root, stderr: "pipe" });
  if ((await build.exited) !== 0) throw new Error(await new Response(build.stderr).text());
  copyFileSync(built, file);
  rmSync(built);
}

// Loaded into each process that runs tests (tools/testing/run.mjs): writes the processor time that each file took, of the process and
// of the children that it has waited for.
import { afterAll } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const path = process.env.PARLEY_TEST_CPU_FILE;
const STAT = "/proc/self/stat";
/** The unit of the kernel's counts. */
const TICKS_PER_SECOND = 100;

/** Returns the seconds since the start of the process. */
function used(): number {
  if (!existsSync(STAT)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // After the program's name, the 12th to 15th fields are the times of the process and of its children.
  const fields = readFileSync(STAT, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND;
}

// Loading a file counts for it.
let before = 0;

if (path !== undefined) {
  afterAll(() => {
    const now = used();
    const file = relative(process.cwd(), Bun.main).replaceAll("\\", "/");
    appendFileSync(path, `${JSON.stringify({ file, seconds: now - before })}\n`);
    before = now;
  });
}

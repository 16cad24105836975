import { isExecutable } from "./command-line/program.ts";
import { runCommandLine } from "./command-line/run.ts";
import { restartWithSmallHeap } from "./command-line/small-heap.ts";

/** The entry point. The only place that reads the environment and the process's own streams. */
restartWithSmallHeap(process);
process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  // npm runs its scripts in the clone and passes the caller's folder in INIT_CWD.
  folder: (isExecutable() ? undefined : process.env.INIT_CWD) ?? process.cwd(),
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outIsTerminal: process.stdout.isTTY === true,
});

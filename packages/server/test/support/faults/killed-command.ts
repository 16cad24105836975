import { runCommandLine } from "../../../src/command-line/run.ts";
import { environment } from "./kill-before.ts";

/** A command of `parley` that kills itself before a statement. */
process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: environment,
  folder: process.cwd(),
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outIsTerminal: false,
});

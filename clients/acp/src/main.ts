#!/usr/bin/env node
import { Ending } from "../../shared/src/ending.ts";
import { readOptions } from "./options.ts";
import { run } from "./run.ts";

const print = (line: string): void => console.log(line);
const say = (line: string): void => console.error(`parley-acp: ${line}`);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

try {
  await run(readOptions(process.argv.slice(2)), { print, say, signal: stop.signal });
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof Ending ? error.exitCode : 1;
}
// Connections that are still open must not keep a program alive that has said its last word.
process.exit();

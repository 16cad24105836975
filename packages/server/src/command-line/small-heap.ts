import { isExecutable } from "./program.ts";
import { commandOf } from "./run.ts";

/**
 * Memory that the engine takes for all that the machine has, in bytes. Its collector lets garbage grow with the machine:
 * an import of 300,000 messages took 330 MB on one of 24 GB, and takes 240 MB so.
 */
const MEMORY = 100_000_000;
const SETTING = "BUN_JSC_forceRAMSize";

/**
 * Starts this process again, in place, with a small heap if the command wants one: the engine reads the setting only when
 * it starts. Returns if nothing is to be done.
 */
export function restartWithSmallHeap(process: NodeJS.Process): void {
  const { argv, env, execPath, execArgv } = process;
  if (env[SETTING] !== undefined || commandOf(argv.slice(2))?.hasSmallHeap !== true) return;
  // An executable takes the options of the engine only from its environment, and all arguments for its own.
  const args = isExecutable() ? argv.slice(2) : [...execArgv, ...argv.slice(1)];
  process.execve?.(execPath, [execPath, ...args], { ...env, [SETTING]: String(MEMORY) });
}

import { isExecutable } from "./program.ts";
import { commandOf } from "./run.ts";

/** The engine takes this for all memory that the machine has, in bytes. */
const MEMORY = "BUN_JSC_forceRAMSize";
/**
 * The engine's collector lets garbage grow with the memory of the machine, and its last compiler needs some itself. An import
 * of 300,000 messages took 330 MB on a machine of 24 GB, and takes 245 MB and a tenth more time so.
 */
const SETTINGS = { [MEMORY]: "100000000", BUN_JSC_useFTLJIT: "0" };

/**
 * Starts this process again, in place, with a small heap if the command wants one: the engine reads the setting only when
 * it starts. Returns if nothing is to be done.
 */
export function restartWithSmallHeap(process: NodeJS.Process): void {
  const { argv, env, execPath, execArgv } = process;
  if (env[MEMORY] !== undefined || commandOf(argv.slice(2))?.hasSmallHeap !== true) return;
  // An executable takes the options of the engine only from its environment, and all arguments for its own.
  const args = isExecutable() ? argv.slice(2) : [...execArgv, ...argv.slice(1)];
  process.execve?.(execPath, [execPath, ...args], { ...env, ...SETTINGS });
}

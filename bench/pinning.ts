import { availableParallelism } from "node:os";

/** Where the server under test runs, and where the load that drives it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const taskset = availableParallelism() > 1 ? Bun.which("taskset") : null;

export const isPinned = taskset !== null;

/** A command bound to one core where the machine has several and `taskset`; unchanged elsewhere. */
export function pinned(core: number, command: string[]): string[] {
  return taskset ? [taskset, "-c", String(core), ...command] : command;
}

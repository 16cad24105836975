import { availableParallelism } from "node:os";

/** The cores of the server under test and of the load. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const taskset = availableParallelism() > 1 ? Bun.which("taskset") : null;

export const isPinned = taskset !== null;

/** Binds a command to one core if the machine has several and `taskset`; otherwise returns it unchanged. */
export function pinned(core: number, command: string[]): string[] {
  return taskset ? [taskset, "-c", String(core), ...command] : command;
}

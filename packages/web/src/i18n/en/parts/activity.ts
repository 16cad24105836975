import { plural } from "../../locale.ts";

/** English texts about what an agent did for a message. `zh.ts` has the same keys. */
export const EN_ACTIVITY = {
  /** How many acts there were, by their kind. */
  kinds: {
    read: (count: number) => plural(count, "read", "reads"),
    edit: (count: number) => plural(count, "edit", "edits"),
    run: (count: number) => plural(count, "command", "commands"),
    search: (count: number) => plural(count, "search", "searches"),
    fetch: (count: number) => plural(count, "fetch", "fetches"),
    think: (count: number) => plural(count, "thought", "thoughts"),
    other: (count: number) => plural(count, "other step", "other steps"),
  },
  /** The state of an act. `unknown`: the message is complete, but the agent has not reported how the act ended. */
  states: {
    running: "running",
    ok: "done",
    failed: "failed",
    denied: "not allowed",
    unknown: "end not reported",
  },
  failed: (count: number) => `${count} failed`,
  denied: (count: number) => `${count} not allowed`,
  counts: (counts: readonly string[]) => counts.join(", "),
  seconds: (seconds: string) => `${seconds} s`,
  steps: "What the agent did",
};

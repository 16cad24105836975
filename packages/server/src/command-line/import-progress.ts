import { systemClock } from "../clock.ts";
import type { Invocation } from "./command.ts";

/** Messages between two lines of progress while the export is read. */
const LINE_EVERY = 50_000;
/** Time between two lines of progress while messages are written, or pictures taken. */
const LINE_MS = 2_000;

/** Tells the person at the terminal, on standard error, how far an import is. */
export interface ImportProgress {
  reading(count: number): void;
  wasRead(count: number): void;
  /** Each picture takes a process of its own, so those of many people take minutes. */
  pictures(count: number): void;
  /** Returns what is called with the number of messages that are written, of all that there are. */
  writing(all: number): (count: number) => void;
}

export function importProgress(call: Invocation): ImportProgress {
  const started = systemClock.monotonic();
  let printed = 0;
  let last = started;
  const isTime = (): boolean => {
    const now = systemClock.monotonic();
    if (now - last < LINE_MS) return false;
    last = now;
    return true;
  };
  const line = (count: number, words: string): void => {
    const seconds = (systemClock.monotonic() - started) / 1000;
    const speed = Math.round(count / Math.max(seconds, 0.001));
    call.err(`${words} ${count} messages in ${seconds.toFixed(1)} s (${speed} a second).\n`);
  };
  return {
    reading(count) {
      if (count < printed + LINE_EVERY) return;
      printed = count;
      line(count, "Reading:");
    },
    wasRead: (count) => line(count, "Read"),
    pictures(count) {
      if (isTime()) call.err(`Taking pictures of people: ${count}.\n`);
    },
    writing: (all) => (count) => {
      if (isTime())
        call.err(`Writing: ${count} of ${all} messages (${Math.floor((100 * count) / Math.max(all, 1))} %).\n`);
    },
  };
}

import type { Log } from "./log.ts";

/**
 * Returns a logger that demotes errors for which `isNews` is false to `debug`, with the message in place of the stack,
 * because one cause can fail a thousand operations in a second. The owner of `isNews` reports how many there were.
 */
export function sparingLog(log: Log, isNews: (error: unknown) => boolean): Log {
  const told =
    (level: "warn" | "error") =>
    (fields: unknown, ...text: string[]): void => {
      if (!hasError(fields) || isNews(fields.err)) log[level](fields, ...text);
      else log.debug({ ...fields, err: undefined, reason: String(fields.err) }, ...text);
    };
  return Object.create(log, { warn: { value: told("warn") }, error: { value: told("error") } }) as Log;
}

const hasError = (fields: unknown): fields is { err: unknown } =>
  typeof fields === "object" && fields !== null && "err" in fields && fields.err !== undefined;

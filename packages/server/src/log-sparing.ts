import type { Log } from "./log.ts";

/**
 * The same log, in which an error that is no news stands at `debug` only, with its message for its stack: one cause may fail a thousand
 * things in a second. Whoever says that it is no news tells how many there were.
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

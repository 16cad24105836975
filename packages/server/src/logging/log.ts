import {
  type DestinationStream,
  destination as fileDestination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from "pino";
import { maskFields, maskText } from "./mask.ts";

/** pino's logger: `log.warn({ err, channelId }, "what happened")`. */
export type Log = Logger;

interface LogOptions {
  level: string;
  /** Short lines for people, with colours on a terminal; else one JSON object per line. */
  readable: boolean;
  colours?: boolean;
  /** Receives each finished line, for tests. By default the logger writes to standard output. */
  write?: (line: string) => void;
}

/** Creates the logger of a server. Secrets are masked by field name and by form. */
export function createLog(options: LogOptions): Log {
  const { level, readable, colours = false, write = writeToOutput() } = options;
  const destination: DestinationStream = {
    write(line) {
      const masked = maskText(line);
      write(readable ? formatLine(masked, colours) : masked);
    },
  };
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      formatters: { level: (label) => ({ level: label }), log: maskFields },
    },
    destination,
  );
}

/** Returns the logger of one part of the server, whose name is in every line. */
export function subsystem(log: Log, name: string): Log {
  return log.child({ subsystem: name });
}

/** Writes synchronously, so that the last lines before an exit are not lost. A closed pipe is not an error. */
function writeToOutput(): (line: string) => void {
  const output = fileDestination({ fd: 1, sync: true });
  return (line) => output.write(line);
}

/**
 * Returns an error as a log line shows it. An `AggregateError` (of the bundler, or of a host with several addresses)
 * has an empty stack of its own and parts that pino cannot serialize, so its stack is built from its parts.
 */
export function errorFields(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return stdSerializers.err(error as Error);
  const { name, message } = error;
  return { type: name, message, stack: stackOf(error) };
}

/** Returns the stack as text; the parts of an aggregate are indented below it. */
function stackOf(error: unknown): string {
  if (!(error instanceof AggregateError)) return (error instanceof Error && error.stack) || String(error);
  const parts = error.errors.map((part) => stackOf(part).replaceAll("\n", "\n  "));
  return [error.stack || String(error), ...parts].join("\n  ");
}

/**
 * Returns a logger that demotes errors for which `isNews` is false to `debug`, with the message in place of the stack,
 * because one cause can fail a thousand operations in a second. The owner of `isNews` reports how many there were.
 */
export function throttleOutages(log: Log, isNews: (error: unknown) => boolean): Log {
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

const COLOURS: Record<string, string> = {
  warn: "\x1b[33m",
  error: "\x1b[31m",
  fatal: "\x1b[31m",
  debug: "\x1b[2m",
  trace: "\x1b[2m",
};
const RESET = "\x1b[0m";

/**
 * Formats a JSON log line as a short line for people: time, level where it matters, subsystem, text, fields; a stack
 * below.
 */
function formatLine(json: string, colours: boolean): string {
  const { time, level, subsystem, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const parts = [String(time).slice(11, 23)];
  if (level !== "info") parts.push(String(level).toUpperCase());
  if (subsystem !== undefined) parts.push(`${subsystem}:`);
  if (msg !== undefined) parts.push(String(msg));
  for (const [name, value] of Object.entries(fields)) {
    parts.push(`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  }
  const line = parts.join(" ") + errorText(err);
  const colour = colours ? COLOURS[String(level)] : undefined;
  return colour === undefined ? `${line}\n` : `${colour}${line}${RESET}\n`;
}

function errorText(err: unknown): string {
  if (err === undefined || err === null) return "";
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  // Errors of native code have an empty stack.
  return `\n${String(stack || message || JSON.stringify(err))}`;
}

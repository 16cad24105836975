import { type DestinationStream, destination as fileDestination, type Logger, pino, stdTimeFunctions } from "pino";
import { errorFields } from "./errors.ts";
import { formatLine } from "./format.ts";
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

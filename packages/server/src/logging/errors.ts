import { stdSerializers } from "pino";

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

import { stdSerializers } from "pino";

/**
 * An error as it stands in a line of the log. One that stands for several (`AggregateError`: the bundler's, or that of a host with several
 * addresses) has an empty stack of its own, and parts that pino cannot write down: its stack is theirs.
 */
export function errorFields(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return stdSerializers.err(error as Error);
  const { name, message } = error;
  return { type: name, message, stack: stackOf(error) };
}

/** Where it comes from as text; of an error of several, each of them indented below. */
function stackOf(error: unknown): string {
  if (!(error instanceof AggregateError)) return (error instanceof Error && error.stack) || String(error);
  const parts = error.errors.map((part) => stackOf(part).replaceAll("\n", "\n  "));
  return [error.stack || String(error), ...parts].join("\n  ");
}

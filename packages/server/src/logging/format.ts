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
export function formatLine(json: string, colours: boolean): string {
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

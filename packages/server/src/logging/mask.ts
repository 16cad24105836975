const MASK = "[masked]";

/**
 * Names of fields whose values are never logged, without `_` and `-`. Flags such as `hasPassword` are booleans and are
 * logged.
 */
const SECRET_FIELD =
  /^(authorization|cookie|setcookie|.*password|.*passwordhash|.*apikey|.*token|.*tokenhash|.*secret|.*secrethash|.*privatekey|.*treasurykey|.*rpcurls?)$/;
const DEPTH_MAX = 6;

/** Returns a copy of a log line's fields with secrets masked. */
export function maskFields(fields: Record<string, unknown>): Record<string, unknown> {
  return maskObject(fields, 0);
}

function maskObject(object: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object))
    copy[name] = isSecret(name, value) ? MASK : maskValue(value, depth + 1);
  return copy;
}

function maskValue(value: unknown, depth: number): unknown {
  // Errors are serialized by pino; their text is masked with the line.
  if (value === null || typeof value !== "object" || value instanceof Error || value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > DEPTH_MAX) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  if (value instanceof Headers || value instanceof Map) return maskObject(Object.fromEntries(value), depth);
  return maskObject(value, depth);
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") return false;
  return SECRET_FIELD.test(name.toLowerCase().replaceAll(/[_-]/g, ""));
}

/** Masks secrets by their form, anywhere in a line: API keys, session and claim cookies, passwords in URLs. */
export function maskText(line: string): string {
  return line
    .replaceAll(/ply_[0-9A-Za-z]+_[0-9A-Za-z]+/g, `ply_${MASK}`)
    .replaceAll(/(parley_(?:session|claim)=)[^\s;"\\]+/g, `$1${MASK}`)
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*:)[^\s@"]+@/gi, `$1${MASK}@`)
    .replaceAll(/(\bbearer )[^\s"\\]+/gi, `$1${MASK}`);
}

/** The bytes to send: the first and the last one, both included. `whole`: all; null: none of them exist. */
export type WantedBytes = { from: number; to: number } | "whole" | null;

/**
 * Reads a `Range` header (RFC 9110, 14.2). One range is served; a header that is malformed, has another unit or asks for
 * several ranges counts as absent, which the RFC allows. Positions beyond the safe integers are beyond every file.
 */
export function wantedBytes(header: string | null, size: number): WantedBytes {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d{0,64})-(\d{0,64})[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const length = Number(last);
    return length === 0 ? null : { from: Math.max(0, size - length), to: size - 1 };
  }
  const from = Number(first);
  if (last !== "" && Number(last) < from) return "whole";
  return from >= size ? null : { from, to: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

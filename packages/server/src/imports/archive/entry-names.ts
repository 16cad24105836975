const SHOWN_MAX = 120;

/** Returns a name of the export for a message: in quotes, on one line, not too long. */
export const quoted = (name: string): string =>
  JSON.stringify(name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, "?");

/** Returns why no export may have a file of this name; undefined if it may. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "a file has no name";
  if (name.includes("\0")) return `a name has a zero byte: ${quoted(name)}`;
  if (name.includes("\\")) return `a name has a backslash: ${quoted(name)}`;
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) return `the name ${quoted(name)} is absolute`;
  if (name.split("/").includes("..")) return `the name ${quoted(name)} leads out of its folder`;
  return undefined;
}

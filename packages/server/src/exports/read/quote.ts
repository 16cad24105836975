import { withoutMarks } from "../text/words.ts";
import type { ExportMessage } from "./messages.ts";

const EXCERPT_MAX = 200;

/** Returns the message that another one answers, as a line: no other chat knows answers outside of threads. Null: it answers none. */
export function excerptOf({ quoted }: ExportMessage): { name: string; words: string } | null {
  if (quoted === null) return null;
  const { row, sender } = quoted;
  const words = withoutMarks(row.content).replace(/\s+/g, " ").trim();
  const characters = [...words];
  const isLong = characters.length > EXCERPT_MAX;
  return { name: sender.name, words: isLong ? `${characters.slice(0, EXCERPT_MAX).join("")}…` : words };
}

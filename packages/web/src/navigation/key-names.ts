import type { Combination } from "../ui/shortcuts.ts";

const SIGNS: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** Returns the names of a combination's keys, as they are written on the keyboard. */
export function keyNames({ key, mod, alt, shift }: Combination, isMac: boolean): string[] {
  const names = isMac ? ["⌘", "⌥", "⇧"] : ["Ctrl", "Alt", "Shift"];
  const held = names.filter((_, at) => [mod, alt, shift][at]);
  return [...held, SIGNS[key] ?? capital(key)];
}

const capital = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1);

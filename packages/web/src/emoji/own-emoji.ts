import { readStored, writeStored } from "../state/local-storage.ts";
import { TONES, type Tone } from "./tones.ts";

/** What is offered until the user has picked enough of their own. */
const COMMON = "👍 ❤️ 😂 🎉 😮 😢 🙏 👏 🔥 ✅ 👀 🤔 😀 😊 😍 😎 🥳 🙌 💪 🚀 💡 ⭐ ☕ 🍀 😅 😉 😴 🤝 👋 ❌ ❓ 💯".split(
  " ",
);
/** Emoji that are one tap away. */
export const QUICK_EMOJI: readonly string[] = COMMON.slice(0, 6);
const SHOWN = COMMON.length;

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= 64;

function recent(): string[] {
  try {
    const stored: unknown = JSON.parse(readStored("emoji-recent") ?? "[]");
    return Array.isArray(stored) ? stored.filter(isText) : [];
  } catch {
    // Something else has written it.
    return [];
  }
}

/** Returns the emoji that the user picked last, newest first, and common ones. */
export const ownEmoji = (): string[] => [...new Set([...recent(), ...COMMON])].slice(0, SHOWN);

/** Remembers that the user picked an emoji. */
export function rememberEmoji(text: string): void {
  writeStored("emoji-recent", JSON.stringify([...new Set([text, ...recent()])].slice(0, SHOWN)));
}

/** Returns the tone of skin that the user chose. */
export const ownTone = (): Tone => TONES.find((tone) => tone === readStored("emoji-tone")) ?? "";

export const rememberTone = (tone: Tone): void => writeStored("emoji-tone", tone === "" ? null : tone);

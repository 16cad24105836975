/** A selection for common use; keyboards offer the rest. */
export const EMOJI = [
  "👍",
  "❤️",
  "😂",
  "🎉",
  "😮",
  "😢",
  "🙏",
  "👏",
  "🔥",
  "✅",
  "👀",
  "🤔",
  "😀",
  "😊",
  "😍",
  "😎",
  "🥳",
  "🙌",
  "💪",
  "🚀",
  "💡",
  "⭐",
  "☕",
  "🍀",
  "😅",
  "😉",
  "😴",
  "🤝",
  "👋",
  "❌",
  "❓",
  "💯",
] as const;

/** A grid of emoji to choose from. */
export function EmojiGrid({ label, onPick }: { label(emoji: string): string; onPick(emoji: string): void }) {
  return (
    <div className="emoji-grid">
      {EMOJI.map((emoji) => (
        <button key={emoji} type="button" aria-label={label(emoji)} onClick={() => onPick(emoji)}>
          {emoji}
        </button>
      ))}
    </div>
  );
}

/** A few that serve most talk; a keyboard has the others. */
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

/** Some emoji to choose from. */
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

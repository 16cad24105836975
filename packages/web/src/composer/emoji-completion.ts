import { endsInOpenFence } from "../ui/open-fence.ts";

/** The name of an emoji being written: from its `:` to the caret. */
export interface EmojiQuery {
  start: number;
  query: string;
  /** True if the second `:` is written, as in `:tada:`. */
  isWhole: boolean;
}

/** After a letter or a digit a colon is none of an emoji, as in `12:30`, `std::vector` and `https://`. */
const BEGUN = /(?:^|[^\p{L}\p{N}_:/])[:：]([\p{L}\p{N}_+-]{2,32})(:?)$/u;

/** Returns the emoji at the caret; null if none is being written, as in a block of code. */
export function emojiAt(text: string, caret: number): EmojiQuery | null {
  const before = text.slice(0, caret);
  const [, query, end = ""] = BEGUN.exec(before) ?? [];
  if (query === undefined || endsInOpenFence(before)) return null;
  return { start: caret - query.length - end.length - 1, query, isWhole: end !== "" };
}

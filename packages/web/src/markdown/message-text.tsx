import { memo, type ReactNode } from "react";
import { lazy } from "../session/lazy.tsx";
import { Plain } from "./plain.tsx";
import type { Hit, Text } from "./text.ts";
import { languageOf } from "./text-language.ts";

/** A message of only one to three emoji is shown large. */
const EMOJI_ALONE = /^(?:\p{RGI_Emoji}\s*){1,3}$/v;

/** The parser is a chunk of its own, which loads while the first messages do. Without it they are shown as written. */
const Formatted = lazy(async () => (await import("./formatted.tsx")).Formatted, Plain);
export const loadMarkdown = Formatted.load;

/** A message's text, as Markdown. `isSource`: as it was written. `end`: shown after it; pass the same element each time. */
export const MessageText = memo(function MessageText({
  message,
  isSource = false,
  isGrowing = false,
  isFolded = false,
  end,
}: {
  message: Text;
  isSource?: boolean;
  /** It is still being written. */
  isGrowing?: boolean;
  /** Only its beginning is shown. */
  isFolded?: boolean;
  end?: ReactNode;
}) {
  const { content } = message;
  const isLarge = content.length < 40 && EMOJI_ALONE.test(content);
  return (
    <div className={isLarge ? "body large" : isFolded ? "body folded" : "body"} dir="auto" lang={languageOf(content)}>
      {isSource ? (
        <pre className="source">{content}</pre>
      ) : (
        <Formatted message={message} isStatic={false} isGrowing={isGrowing} end={end} />
      )}
    </div>
  );
});

/** A message's text within a link: it has no links and buttons. */
export function MessageExcerpt({ message, hits }: { message: Text; hits?: readonly Hit[] | undefined }) {
  return (
    <div className="body" dir="auto" lang={languageOf(message.content)}>
      <Formatted message={message} hits={hits} isStatic />
    </div>
  );
}

/** The beginning of a message's text on one line, within a link. */
export function MessageLine({ message }: { message: Text }) {
  return <Formatted message={message} isStatic isLine />;
}

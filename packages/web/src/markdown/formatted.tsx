import { useMemo } from "react";
import { mayBeAlone } from "../emoji/emoji-names.ts";
import { LargeEmoji } from "../emoji/server-picture.tsx";
import { useTexts } from "../i18n/use-texts.ts";
import { type Parsed, parseMarkdown } from "./parse.ts";
import { Plain } from "./plain.tsx";
import { type Look, renderLine, renderNodes } from "./render.tsx";
import { steady } from "./steady.ts";
import type { Hit, Text, TextProps } from "./text.ts";

/** The characters of a message that are shown on one line. */
const LINE_MAX = 160;

/** A text as Markdown, or as it was written if it is nested too deep or too much work to format. */
export function Formatted({ message, hits, isStatic, isGrowing = false, isLine = false, end }: TextProps) {
  const { markdown: labels } = useTexts();
  const parsed = useParsed(message, hits, isGrowing);
  if (parsed === null) return <Plain message={message} hits={hits} isStatic={isStatic} isLine={isLine} end={end} />;
  const nodes = parsed.root.children;
  const last = nodes.at(-1);
  const isInline = last?.type === "paragraph";
  const look: Look = { parsed, isStatic, labels, end: isInline ? { of: last, shown: end } : undefined };
  if (isLine) return renderLine(nodes, look, LINE_MAX);
  const shown = (
    <>
      {renderNodes(nodes, look)}
      {!isInline && end}
    </>
  );
  if (!isStatic && mayBeAlone(message.content)) return <LargeEmoji text={message.content}>{shown}</LargeEmoji>;
  return <div className="markdown">{shown}</div>;
}

/** Messages that were parsed: a list that scrolls shows the same ones again and again. */
const known = new WeakMap<Text, Parsed | null>();

function useParsed(message: Text, hits: readonly Hit[] | undefined, isGrowing: boolean): Parsed | null {
  return useMemo(() => {
    if (isGrowing) return parseMarkdown({ ...message, content: steady(message.content) });
    if (hits !== undefined) return parseMarkdown(message, hits);
    const kept = known.get(message);
    if (kept !== undefined) return kept;
    const parsed = parseMarkdown(message);
    known.set(message, parsed);
    return parsed;
  }, [message, hits, isGrowing]);
}

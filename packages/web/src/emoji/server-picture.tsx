import type { Emoji } from "@parley/protocol/emoji";
import { type ReactNode, useRef } from "react";
import { useMedia } from "../ui/use-media.ts";
import { NAMES } from "./emoji-names.ts";
import { useServerEmoji, written } from "./server-emoji.ts";

/** The picture of an emoji of the server. It does not move for people who want no motion. */
export function EmojiPicture({ emoji }: { emoji: Emoji }) {
  const isStill = useMedia("(prefers-reduced-motion: reduce)") && emoji.is_animated;
  const { name, url, width, height } = emoji;
  const text = written(name);
  const canvas = useRef<HTMLCanvasElement>(null);
  const shared = { className: "server-emoji", title: text, width, height } as const;
  if (!isStill) return <img {...shared} src={url} alt={text} decoding="async" loading="lazy" draggable={false} />;
  return (
    <>
      <canvas {...shared} ref={canvas} role="img" aria-label={text} />
      <img
        hidden
        src={url}
        alt=""
        onLoad={({ currentTarget }) => canvas.current?.getContext("2d")?.drawImage(currentTarget, 0, 0)}
      />
    </>
  );
}

/** The emoji of the server with this name, or the text if there is none. */
export function NamedEmoji({ name, text }: { name: string; text: string }): ReactNode {
  const emoji = useServerEmoji().get(name);
  return emoji === undefined ? text : <EmojiPicture emoji={emoji} />;
}

/** Returns a text in which the emoji of the server are shown. Nothing is loaded for a text without such names. */
export function withEmoji(text: string): ReactNode[] {
  if (!text.includes(":")) return [text];
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { 0: found, 1: name = "", index } of text.matchAll(NAMES)) {
    if (index > at) parts.push(text.slice(at, index));
    parts.push(<NamedEmoji key={index} name={name} text={found} />);
    at = index + found.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** Shows a text of a few emoji large, if all of its names are emoji of the server. */
export function LargeEmoji({ text, children }: { text: string; children: ReactNode }) {
  const known = useServerEmoji();
  const isLarge = [...text.matchAll(/:([a-z0-9_-]+):/g)].every(([, name = ""]) => known.has(name));
  return <div className={isLarge ? "markdown large" : "markdown"}>{children}</div>;
}

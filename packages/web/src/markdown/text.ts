import type { ChatMessage } from "@parley/protocol/models";
import type { ReactNode } from "react";

export type Mention = Pick<ChatMessage["mentions"][number], "name" | "offset" | "length">;

/** A message's text, with the mentions that the server found. */
export interface Text {
  content: string;
  mentions: readonly Mention[];
}

/** A part of a text that a search has found. */
export interface Hit {
  offset: number;
  length: number;
}

export interface TextProps {
  message: Text;
  hits?: readonly Hit[] | undefined;
  /** Without links and buttons, because all of it is a link. */
  isStatic: boolean;
  /** It is still being written: only what will not change its look is formatted. */
  isGrowing?: boolean;
  /** Only the beginning, on one line. */
  isLine?: boolean;
  /** Shown after the text, on its last line if that is a paragraph's. */
  end?: ReactNode;
}

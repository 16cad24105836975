/** A mark on a part of a text, as the Bot API names it. Offset and length count UTF-16 units. */
export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  /** Of `text_link`. */
  readonly url?: string | undefined;
  /** Of `pre`. */
  readonly language?: string | undefined;
  /** Of `text_mention`. */
  readonly user?: { readonly id?: unknown } | undefined;
}

/** A text with its marks, as the Bot API sends it. */
export interface Formatted {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** An entity that has begun while a text is read. */
export interface Begun {
  readonly type: string;
  readonly offset: number;
  /** Where its mark is in the source, in bytes: the error names it. */
  readonly byte: number;
  url?: string | undefined;
  language?: string | undefined;
  /** The tag of HTML. */
  readonly tag?: string;
}

/** The position in bytes of UTF-8, as Telegram's errors count. */
export const byteAt = (source: string, index: number): number => Buffer.byteLength(source.slice(0, index));

/** Returns the finished entity; null if it is empty. */
export function ended({ type, offset, url, language }: Begun, end: number): Entity | null {
  if (end <= offset) return null;
  return {
    type,
    offset,
    length: end - offset,
    ...(url === undefined ? {} : { url }),
    ...(language === undefined ? {} : { language }),
  };
}

/** In the order of the text, an outer entity before those within it. */
export const inOrder = (entities: readonly Entity[]): Entity[] =>
  entities.toSorted((one, other) => one.offset - other.offset || other.length - one.length);

/** The label of the encoding in a page's first bytes, as browsers look for it. */
const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const META_WITHIN = 1_024;
const BOMS: readonly (readonly [string, string])[] = [
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];

/**
 * Decodes a page: by its byte order mark, the charset of `Content-Type`, that of its `meta`, or as UTF-8. Bytes that are
 * none of that encoding become U+FFFD.
 */
export function pageText(body: Uint8Array, contentType: string): string {
  const begin = Buffer.from(body.subarray(0, META_WITHIN));
  const marked = BOMS.find(([bom]) => begin.toString("hex", 0, 3).startsWith(bom))?.[1];
  const declared = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const decoder =
    decoderOf(marked) ?? decoderOf(declared) ?? decoderOf(metaOf(begin)) ?? new TextDecoder("utf-8", { fatal: false });
  return decoder.decode(body);
}

/** A page whose `meta` can be read byte by byte is not in UTF-16, whatever it says. */
function metaOf(begin: Buffer): string | undefined {
  const label = META_CHARSET.exec(begin.toString("latin1"))?.[1];
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

/** Returns undefined for a label that no encoding has. */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0]);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

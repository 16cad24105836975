/** Elements that start a line of their own. */
const BLOCKS = "br,p,div,li,ul,ol,pre,blockquote,h1,h2,h3,h4,h5,h6";
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const CODE_POINT_MAX = 0x10_ff_ff;

/**
 * Returns the text of sanitised HTML as a reader sees it: tags removed, blocks on their own lines, entities decoded.
 */
export function htmlToText(html: string): string {
  const parts: string[] = [];
  new HTMLRewriter()
    .on(BLOCKS, { element: () => void parts.push("\n") })
    .onDocument({ text: ({ text }) => void parts.push(text) })
    .transform(html);
  return decodeEntities(parts.join("")).trim();
}

/** Decodes numeric entities and the named ones of sanitised text; any other is left unchanged. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= CODE_POINT_MAX ? String.fromCodePoint(code) : "\ufffd";
  });
}

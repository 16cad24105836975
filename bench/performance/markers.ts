/** Generated parts of a page that people write: each is between two comments with its name. */

const start = (name: string) => `<!-- generated: ${name} -->`;
const end = (name: string) => `<!-- end: ${name} -->`;

function bounds(page: string, name: string): [number, number] {
  const from = page.indexOf(start(name));
  const to = page.indexOf(end(name));
  if (from < 0 || to < from) throw new Error(`the page has no "${start(name)}" followed by "${end(name)}"`);
  return [from + start(name).length, to];
}

/** Returns what is between the comments now. */
export function generatedPart(page: string, name: string): string {
  const [from, to] = bounds(page, name);
  return page.slice(from, to).trim();
}

/** Returns the page with another text between the comments. */
export function withGenerated(page: string, name: string, text: string): string {
  const [from, to] = bounds(page, name);
  return `${page.slice(0, from)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}

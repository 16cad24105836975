/** Escape sequences with which a program colours a terminal, or writes into its title. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
/** Control characters except tab and newline, and characters that reorder or hide the text around them. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it shows
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Removes what a terminal would obey and a reader could not see. An agent's text may quote what strangers wrote. */
export const cleanText = (text: string): string =>
  text
    .replace(TERMINAL, "")
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN, (each) => (/[\u200b-\u200d]/.test(each) ? each : ""));

/** Shows each such character as its number: people decide about this text, so it must hide nothing. */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(HIDDEN, (each) => `⟨U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** Returns a text on one line, at most `max` UTF-16 units long. No character is cut in two. */
export function oneLine(text: string, max: number): string {
  const line = visibleText(text.slice(0, max * 4))
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= max ? line : `${wholeCharacters(line, max - 1)}…`;
}

/** Returns the beginning of a text, without half a character at its end. */
export function wholeCharacters(text: string, max: number): string {
  const start = text.slice(0, max);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}

/** Writes a text as code within a line. Its own backticks cannot end it. */
export function inlineCode(text: string, max: number): string {
  const line = oneLine(text, max) || "?";
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([marks]) => marks.length));
  const marks = "`".repeat(longest + 1);
  return longest === 0 ? `${marks}${line}${marks}` : `${marks} ${line} ${marks}`;
}

/** Writes a text as a block of code that nothing in it can close. */
export function codeBlock(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

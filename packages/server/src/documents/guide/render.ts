import { posix } from "node:path";
import type { GuidePage } from "../../module.ts";

/** A page of the guide with its text. */
export interface LoadedPage extends Pick<GuidePage, "name" | "about" | "part"> {
  source: string;
  text: string;
}

/** Loads the texts of all pages, which take 300 KB. */
export const loadPages = (pages: readonly GuidePage[]): Promise<LoadedPage[]> =>
  Promise.all(
    pages.map(async ({ name, source = `docs/guide/${name}.md`, text, about, part }) => {
      return { name, source, text: (await text()).default, about, part };
    }),
  );

/** The addresses that the documentation uses in its examples. */
const EXAMPLE_ORIGINS = /http:\/\/127\.0\.0\.1:3000|https:\/\/chat\.example\.org/g;

/** Returns a page as it is served: with this server's address in its examples, and links to what the server serves. */
export function renderPage(page: LoadedPage, pages: readonly LoadedPage[], base: string): string {
  const parts = page.text.replace(/^<!--.*?-->\n/s, "").split(/^(```.*?^```)/ms);
  const rendered = parts.map((part) => (part.startsWith("```") ? part : linked(part, page, pages, base)));
  return rendered.join("").replace(EXAMPLE_ORIGINS, () => base);
}

/** Returns the first heading of a page. */
export function titleOf({ text, name }: LoadedPage): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? name;
}

/** Rewrites relative links. Of a link to a file that is not served only the text is left, of an image nothing. */
function linked(text: string, page: LoadedPage, pages: readonly LoadedPage[], base: string): string {
  return text
    .replace(/^!\[[^\]]*\]\((?!https?:)[^)\s]+\)\n+/gm, "")
    .replace(/!\[[^\]]*\]\((?!https?:)[^)\s]+\)/g, "")
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label: string, target: string) => {
      if (/^(?:https?:|mailto:|#)/.test(target)) return whole;
      const address = target.startsWith("/") ? `${base}${target}` : addressOf(target, page, pages, base);
      return address === undefined ? label : `[${label}](${address})`;
    });
}

function addressOf(
  target: string,
  { source }: LoadedPage,
  pages: readonly LoadedPage[],
  base: string,
): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = posix.join(posix.dirname(source), path);
  const found = pages.find((page) => page.source === file);
  return found && `${base}/guide/${found.name}.md${anchor === undefined ? "" : `#${anchor}`}`;
}

import type { Page } from "playwright-core";
import { EN_CLAIM } from "../../src/i18n/en/claim.ts";
import { EN_ERRORS } from "../../src/i18n/en/errors.ts";
import { EN_TEXTS } from "../../src/i18n/en/texts.ts";
import { LANGUAGES, type Language } from "../../src/i18n/languages.ts";

/** Words of the English texts that are none of Spanish, and that no test writes. */
const ENGLISH =
  /(?<!\p{L})(?:the|you|your|of|to|this|that|with|and|here|for|from|by|is|are|was|were|not|new|unread|until|since|last|left|yet|message|messages|channel|channels|thread|threads|reply|search|settings|delete|edit|people|agent|agents|close|open|show|more|members?|owner)(?!\p{L})/iu;

/** Filters of the search, codes of emoji and names with an @ are the same in all languages. */
const FILTERS = /\b[\w+-]+:\S*|@\w+/g;

/** Returns all strings in texts, by their paths. */
function strings(texts: unknown, path = ""): [string, string][] {
  if (typeof texts === "string") return [[path, texts]];
  if (typeof texts !== "object" || texts === null) return [];
  return Object.entries(texts).flatMap(([key, value]) => strings(value, `${path}.${key}`));
}

/** Returns the English texts that a page in this language never shows: those of more than one word that it translates. */
export async function englishOnly(language: Language): Promise<ReadonlySet<string>> {
  const { texts, notifications, errors, claim } = LANGUAGES[language];
  const own = new Map(
    strings({
      texts: { ...(await texts?.()), notifications: await notifications?.() },
      errors: await errors?.(),
      claim: (await claim?.())?.texts,
    }),
  );
  const english = strings({ texts: EN_TEXTS, errors: EN_ERRORS, claim: EN_CLAIM });
  return new Set(
    english.filter(([path, text]) => text.includes(" ") && own.get(path) !== text).map(([, text]) => text),
  );
}

/**
 * Returns what a page shows or tells a screen reader in English. `known` is of `englishOnly`. Code, what people wrote and
 * elements in another language (`lang`) do not count.
 */
export async function foreignWords(page: Page, known: ReadonlySet<string>): Promise<string[]> {
  const shown = (await page.evaluate(`(() => {
    const skipped = "script, style, noscript, code, pre, textarea, bdi, .body, .quote, [translate=no]";
    const lang = document.documentElement.lang;
    const isOther = (element) =>
      element.closest(skipped) !== null || (element.closest("[lang]")?.lang ?? lang) !== lang;
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, data } = walker.currentNode;
      if (parent !== null && !isOther(parent)) found.push(data);
    }
    for (const element of document.body.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
      if (isOther(element)) continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"]) found.push(element.getAttribute(name) ?? "");
    }
    return found.map((text) => text.trim()).filter((text) => text !== "");
  })()`)) as string[];
  return [...new Set(shown)].filter((text) => known.has(text) || ENGLISH.test(text.replace(FILTERS, "")));
}

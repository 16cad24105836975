import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import { EN_CLAIM } from "../../src/i18n/en/claim.ts";
import { EN_ERRORS } from "../../src/i18n/en/errors.ts";
import { EN_CARDS } from "../../src/i18n/en/parts/cards.ts";
import { EN_TEXTS } from "../../src/i18n/en/texts.ts";
import { LANGUAGES, type Language } from "../../src/i18n/languages.ts";
import { addTranslation, loadTranslation, textsIn } from "../../src/i18n/translations.ts";
import { withEnglish } from "../../src/i18n/with-english.ts";

/** These have every text. Any other language may lack some, which are shown in English. */
const COMPLETE: readonly Language[] = ["zh"];

/** Returns the paths of all texts: `chat.app.close`. A list is one. */
function pathsOf(texts: unknown, path: readonly string[] = []): string[] {
  if (typeof texts !== "object" || texts === null || Array.isArray(texts)) return [path.join(".")];
  return Object.entries(texts).flatMap(([key, value]) => pathsOf(value, [...path, key]));
}

const markedInClaimPage = async (): Promise<string[]> => {
  const html = await Bun.file(new URL("../../src/claim/claim.html", import.meta.url)).text();
  return [...html.matchAll(/data-(?:text|label)="(\w+)"/g)].map(([, key]) => key ?? "");
};

const english = pathsOf({
  texts: EN_TEXTS,
  errors: EN_ERRORS,
  claim: { texts: EN_CLAIM, page: Object.fromEntries((await markedInClaimPage()).map((key) => [key, ""])) },
});

async function pathsIn(language: Language): Promise<string[]> {
  const { texts, notifications, errors, claim } = LANGUAGES[language];
  return pathsOf({
    texts: { ...(await texts?.()), notifications: (await notifications?.()) ?? {} },
    errors: (await errors?.()) ?? {},
    claim: (await claim?.()) ?? {},
  });
}

describe.each(Object.keys(LANGUAGES).filter((key): key is Exclude<Language, "en"> => key !== "en"))(
  "%s",
  (language) => {
    test("has no text that English does not have", async () => {
      const known = new Set(english);
      expect((await pathsIn(language)).filter((path) => path !== "" && !known.has(path))).toEqual([]);
    });

    test.if(COMPLETE.includes(language))("lacks no text", async () => {
      const own = new Set(await pathsIn(language));
      expect(english.filter((path) => !own.has(path))).toEqual([]);
      expect((await LANGUAGES[language].emoji?.())?.split("\n").length).toBeGreaterThan(1_850);
    });

    test("has all of its texts in one folder, which only the list of languages names", async () => {
      const place = new URL("../../src/", import.meta.url).pathname;
      const naming: string[] = [];
      for await (const path of new Glob("**/*.{ts,tsx}").scan(place)) {
        const isOwn = path.startsWith(`i18n/${language}/`);
        if (!isOwn && (await Bun.file(place + path).text()).includes(`/${language}/`)) naming.push(path);
      }
      expect(naming).toEqual(["i18n/languages.ts"]);
    });
  },
);

describe("a language that lacks texts", () => {
  test("shows them in English: one, a group of them, and a whole feature", () => {
    addTranslation("eo", { chat: { app: { close: "Fermi" }, people: { roles: { owner: "posedanto" } } } });
    const chat = textsIn("eo", "chat", EN_TEXTS.chat);
    expect([chat.app.close, chat.app.save]).toEqual(["Fermi", EN_TEXTS.chat.app.save]);
    expect(chat.people.roles).toEqual({ ...EN_TEXTS.chat.people.roles, owner: "posedanto" });
    expect(chat.threads).toEqual(EN_TEXTS.chat.threads);
    expect(chat.people.more(3)).toBe("and 3 more");
    expect(textsIn("eo", "cards", EN_CARDS)).toBe(EN_CARDS);
    // The same object each time, so that nothing is drawn again without a reason.
    expect(textsIn("eo", "chat", EN_TEXTS.chat)).toBe(chat);
    addTranslation("eo", { cards: { confirm: "Konfirmi" } });
    expect(textsIn("eo", "cards", EN_CARDS)).toMatchObject({ confirm: "Konfirmi", send: EN_CARDS.send });
    expect(textsIn("eo", "chat", EN_TEXTS.chat)).toBe(EN_TEXTS.chat);
  });

  test("takes functions and lists as a whole, and a text that is undefined from English", () => {
    const texts = { tones: ["a", "b"], count: (many: number) => `${many} tries`, deep: { one: "1", other: "2" } };
    const count = (many: number) => `${many} provoj`;
    expect(withEnglish(texts, { tones: ["c"], count, deep: { one: undefined } })).toEqual({
      tones: ["c"],
      count,
      deep: { one: "1", other: "2" },
    });
    expect(withEnglish(texts, undefined)).toBe(texts);
  });

  test("shows English also before its texts were loaded, and not afterwards", async () => {
    expect(textsIn("zh", "cards", EN_CARDS)).toBe(EN_CARDS);
    await loadTranslation("zh");
    expect(textsIn("zh", "cards", EN_CARDS).confirm).toBe("确认");
  });
});

import { useContext, useEffect, useState } from "react";
import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { LanguageContext } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { type Emoji, parseEmoji } from "./catalogue.ts";

const loaded = new Map<Language, readonly Emoji[]>();

/** Returns all emoji if they are loaded. */
export const knownEmoji = (language: Language): readonly Emoji[] | null => loaded.get(language) ?? null;

/** Loads all emoji, with their names in a language. They are a part of the page that loads when it is first needed. */
export async function loadEmoji(language: Language): Promise<readonly Emoji[]> {
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const [{ ALL_EMOJI }, names] = await Promise.all([import("./all-emoji.ts"), LANGUAGES[language].emoji?.()]);
  const all = parseEmoji(ALL_EMOJI, names);
  loaded.set(language, all);
  return all;
}

/** Returns all emoji in the user's language; null while they load. */
export function useEmoji(): readonly Emoji[] | null {
  const parley = useParley();
  const language = useContext(LanguageContext);
  const [all, setAll] = useState(() => knownEmoji(language));
  useEffect(
    () =>
      retryUntilDone(
        async () => setAll(await loadEmoji(language)),
        (error) => parley.showError(error),
      ),
    [parley, language],
  );
  return all;
}

import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useAskBefore } from "./ask-before.ts";

/**
 * Has the user confirm before something goes that is shown only once: with its dialog, its tab, or the page. `isKept`: it
 * was copied or saved, or nothing is shown, so nobody is asked.
 */
export function useKeepSecret(isKept: boolean): void {
  const { secrets: texts } = useWindowTexts();
  useAskBefore(isKept ? null : { title: texts.title, text: texts.text, action: texts.leave });
}

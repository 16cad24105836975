import { useContext, useEffect } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { LeaveGuards } from "../ui/leave-guards.ts";
import { useParley } from "./parley-context.ts";

/**
 * Has the user confirm before something goes that is shown only once: with its dialog, its tab, or the page. `isKept`: it
 * was copied or saved, or nothing is shown, so nobody is asked.
 */
export function useKeepSecret(isKept: boolean): void {
  const parley = useParley();
  const guards = useContext(LeaveGuards);
  const { secrets: texts } = useWindowTexts();
  useEffect(() => {
    if (isKept) return;
    const guard = () => parley.confirm.ask({ title: texts.title, text: texts.text, action: texts.leave });
    const unload = (event: Event) => event.preventDefault();
    guards?.add(guard);
    addEventListener("beforeunload", unload);
    return () => {
      guards?.delete(guard);
      removeEventListener("beforeunload", unload);
    };
  }, [parley, guards, texts, isKept]);
}

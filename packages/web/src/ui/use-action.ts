import { ParleyError } from "@parley/sdk";
import { useContext, useState } from "react";
import { loadErrorTexts } from "../i18n/error-texts.ts";
import { LanguageContext, useTexts } from "../i18n/use-texts.ts";

export interface Action {
  /** True while the action runs. */
  isBusy: boolean;
  /** The error message for the user; null: none. */
  error: string | null;
  /** The code of the server's refusal; null: none. */
  code: string | null;
  /** Shows a message as the action's error. */
  fail(message: string): void;
  /** Runs the action unless one is already running; true if it succeeded. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

interface Problem {
  text: string;
  code: string | null;
}

/** An action of the user that can fail; the error is shown beside it. */
export function useAction(): Action {
  const texts = useTexts();
  const language = useContext(LanguageContext);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    isBusy,
    error: problem?.text ?? null,
    code: problem?.code ?? null,
    fail: (text) => setProblem({ text, code: null }),
    async run(action) {
      if (isBusy) return false;
      setBusy(true);
      setProblem(null);
      try {
        await action();
        return true;
      } catch (cause) {
        await loadErrorTexts(language);
        setProblem({ text: texts.errorMessage(cause), code: cause instanceof ParleyError ? cause.code : null });
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

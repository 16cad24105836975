import { useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";

export interface Action {
  /** True while the action runs. */
  isBusy: boolean;
  /** The error message for the user; null: none. */
  error: string | null;
  /** Shows a message as the action's error. */
  fail(message: string): void;
  /** Runs the action unless one is already running; true if it succeeded. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

/** An action of the user that can fail; the error is shown beside it. */
export function useAction(): Action {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  return {
    isBusy,
    error,
    fail: setError,
    async run(action) {
      if (isBusy) return false;
      setBusy(true);
      setError(null);
      try {
        await action();
        return true;
      } catch (cause) {
        setError(texts.errorMessage(cause));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

import { useState } from "react";
import { useTexts } from "../session/parley-context.ts";

export interface Act {
  /** True while the action runs. */
  isBusy: boolean;
  /** The error message for the user; null: none. */
  error: string | null;
  /** Runs the action unless one is already running; true if it succeeded. */
  run(act: () => Promise<unknown>): Promise<boolean>;
}

/** An action of the user that can fail; the error is shown beside it. */
export function useAct(): Act {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  return {
    isBusy,
    error,
    async run(act) {
      if (isBusy) return false;
      setBusy(true);
      setError(null);
      try {
        await act();
        return true;
      } catch (cause) {
        setError(texts.reason(cause));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

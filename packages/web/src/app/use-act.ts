import { useState } from "react";
import { useTexts } from "./parley-context.ts";

export interface Act {
  /** Is it under way? */
  isBusy: boolean;
  /** Why it failed, for a person; null: it has not. */
  error: string | null;
  /** Does it once at a time; true when it succeeded. */
  run(act: () => Promise<unknown>): Promise<boolean>;
}

/** Something a person does that can fail: says so where it was done. */
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

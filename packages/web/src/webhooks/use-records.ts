import { useCallback, useEffect, useState } from "react";
import { type Action, useAction } from "../ui/use-action.ts";

interface Records<T> {
  /** null until they have loaded. */
  items: readonly T[] | null;
  action: Action;
  /** Runs a change, then loads the list again. True if both succeeded. */
  run(change: () => Promise<unknown>): Promise<boolean>;
}

/** A short list that is loaded again after each change. `load` must be stable. */
export function useRecords<T>(load: () => Promise<readonly T[]>): Records<T> {
  const action = useAction();
  const [items, setItems] = useState<readonly T[] | null>(null);
  const { fail, run } = action;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the action is another one at each rendering
  useEffect(() => {
    let isStale = false;
    load().then(
      (loaded) => !isStale && setItems(loaded),
      () => !isStale && run(async () => setItems(await load())),
    );
    return () => {
      isStale = true;
    };
  }, [load]);
  const change = useCallback(
    (act: () => Promise<unknown>) =>
      run(async () => {
        await act();
        setItems(await load());
      }),
    [run, load],
  );
  return { items, action: { ...action, fail }, run: change };
}

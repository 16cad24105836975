import { useCallback, useEffect, useRef, useState } from "react";
import { retryUntilDone } from "../state/retry.ts";
import { type ListPage, readPages } from "./list-pages.ts";
import { useParley } from "./parley-context.ts";

interface List<T> {
  /** null: not loaded yet. */
  items: readonly T[] | null;
  hasMore: boolean;
  more(): void;
  /** Replaces the items that match `is`. */
  replace(is: (item: T) => boolean, by: T): void;
  /** Reads again as many pages as are shown. */
  reload(): void;
}

/** A list of the server, page by page. Pass the same `load` function for as long as it is the same list. */
export function useList<T>(load: (from: number | undefined) => Promise<ListPage<T>>): List<T> {
  const parley = useParley();
  const [items, setItems] = useState<readonly T[] | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const run = useRef(0);
  const pages = useRef(1);
  const read = useCallback(
    async (count: number, from?: number) => {
      run.current += 1;
      const mine = run.current;
      try {
        const { items: read, next } = await readPages(load, count, from);
        // Another list has been requested since.
        if (mine !== run.current) return;
        setItems((all) => (from === undefined ? read : [...(all ?? []), ...read]));
        setNext(next);
        pages.current = from === undefined ? count : pages.current + count;
      } catch (error) {
        if (mine === run.current) throw error;
      }
    },
    [load],
  );
  const showError = useCallback((error: unknown) => parley.showError(error), [parley]);
  useEffect(() => {
    setItems(null);
    return retryUntilDone(() => read(1), showError);
  }, [read, showError]);
  return {
    items,
    hasMore: next !== null,
    more: () => void read(1, next ?? undefined).catch(showError),
    replace: (is, by) => setItems((all) => (all ?? []).map((item) => (is(item) ? by : item))),
    reload: () => void read(pages.current).catch(showError),
  };
}

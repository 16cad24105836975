import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useCatchUpTexts } from "../i18n/hooks/use-catch-up-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { isShortcut } from "../ui/shortcuts.ts";
import type { CatchUp } from "./catch-up.ts";
import type { Entry } from "./entries.ts";
import { useEntryName } from "./entry-name.ts";

interface EntryKeys {
  /** The key of the entry that the keys act on. */
  active: string | undefined;
  setActive(key: string): void;
  list: RefObject<HTMLUListElement | null>;
  /** What has happened, for screen readers. */
  said: string;
  finish(entry: Entry): void;
  finishAll(): void;
  undo(): void;
}

/** Moves between the entries, and finishes and brings them back, by keys. The entry that the keys act on has the focus. */
export function useEntryKeys(catchUp: CatchUp, entries: readonly Entry[], isDrawn: boolean): EntryKeys {
  const parley = useParley();
  const texts = useCatchUpTexts();
  const nameOf = useEntryName();
  const list = useRef<HTMLUListElement>(null);
  const [chosen, setActive] = useState<string>();
  const [said, setSaid] = useState("");
  const found = entries.findIndex(({ key }) => key === chosen);
  const at = Math.max(0, found);
  const active = entries[at]?.key;
  useLayoutEffect(() => {
    const row = active === undefined || !isDrawn ? null : list.current?.querySelector<HTMLElement>("[data-active] a");
    // A user who is elsewhere on the page stays there.
    const isHere = document.activeElement === document.body || list.current?.contains(document.activeElement);
    if (row != null && isHere) row.focus();
  }, [active, isDrawn]);
  const finish = (entry: Entry) => {
    const place = entries.indexOf(entry);
    if (entry.key === active) setActive((entries[place + 1] ?? entries[place - 1])?.key);
    catchUp.finish(entry);
    setSaid(texts.isDone(nameOf(entry)));
  };
  const finishAll = () => {
    catchUp.finishAll(entries);
    setSaid(texts.allDone);
  };
  const undo = () => {
    const bring = async () => {
      const [first] = await catchUp.undo();
      if (first === undefined) return;
      setActive(first.key);
      setSaid(texts.undone(nameOf(first)));
    };
    bring().catch((error: unknown) => parley.showError(error));
  };
  const step = (by: -1 | 1) => setActive(entries[at + by]?.key ?? active);
  const keyed = (event: KeyboardEvent): (() => void) | undefined => {
    const entry = entries[at];
    if (isShortcut(event, "undo")) return undo;
    if (isShortcut(event, "nextEntry")) return () => step(1);
    if (isShortcut(event, "previousEntry")) return () => step(-1);
    if (entry === undefined) return undefined;
    if (isShortcut(event, "done")) return () => finish(entry);
    if (isShortcut(event, "allRead")) return finishAll;
    // A focused link or button has an Enter of its own.
    if (event.target === document.body && isShortcut(event, "openEntry"))
      return () => list.current?.querySelector<HTMLElement>("[data-active] a")?.click();
    return undefined;
  };
  const handler = useRef(keyed);
  useEffect(() => {
    handler.current = keyed;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || isElsewhere(event)) return;
      const act = handler.current(event);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return { active, setActive, list, said, finish, finishAll, undo };
}

/** True where keys have another meaning: in fields, menus and dialogs, and in the sidebar. */
function isElsewhere({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open], :popover-open") !== null) return true;
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable], nav") !== null;
}

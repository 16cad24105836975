import { type KeyboardEvent, type ReactNode, useContext, useId } from "react";
import { LeaveGuards, mayLeave } from "./leave-guards.ts";

interface Props<Tab extends string> {
  /** The name of the list of tabs. */
  label: string;
  /** The tabs' names, in order. */
  tabs: readonly { tab: Tab; name: string }[];
  shown: Tab;
  /** Uses the width of a large window. */
  isWide?: boolean;
  onShow(tab: Tab): void;
  /** The content of the shown tab. */
  children: ReactNode;
}

/** Tabs and the panel of the shown one. Arrow keys move between them. */
export function Tabs<Tab extends string>({ label, tabs, shown, isWide = false, onShow, children }: Props<Tab>) {
  const id = useId();
  const guards = useContext(LeaveGuards);
  const show = async (tab: Tab) => {
    if (tab === shown || !(await mayLeave(guards))) return;
    onShow(tab);
    // Focusing also scrolls the tab into view where the tabs do not fit.
    document.getElementById(`${id}-${tab}`)?.focus();
  };
  const keyed = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ tab }) => tab === shown);
    void show(tabs[(at + step + tabs.length) % tabs.length]?.tab ?? shown);
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={keyed}>
        {tabs.map(({ tab, name }) => (
          <button
            key={tab}
            type="button"
            id={`${id}-${tab}`}
            role="tab"
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => void show(tab)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        className={isWide ? "tab-panel wide" : "tab-panel"}
        role="tabpanel"
        aria-labelledby={`${id}-${shown}`}
        tabIndex={-1}
      >
        {children}
      </div>
    </>
  );
}

import { type KeyboardEvent, type ReactNode, type ToggleEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useCover } from "./covers/use-cover.ts";

const GAP_PX = 6;

/**
 * Places a panel below or above its button, always inside the window. Content added later makes it grow away from the
 * button, and scroll when there is no more room. The panel ends where the button ends, or begins where it begins.
 */
export function placeBeside(panel: HTMLElement, button: HTMLElement, align: "start" | "end" = "end"): void {
  panel.style.maxHeight = "";
  const at = button.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const [below, above] = [innerHeight - at.bottom - 2 * GAP_PX, at.top - 2 * GAP_PX];
  const isBelow = height <= below || below >= above;
  panel.style.top = isBelow ? `${at.bottom + GAP_PX}px` : "auto";
  panel.style.bottom = isBelow ? "auto" : `${innerHeight - at.top + GAP_PX}px`;
  panel.style.maxHeight = `${isBelow ? below : above}px`;
  panel.style.left = `${Math.max(GAP_PX, Math.min(align === "end" ? at.right - width : at.left, innerWidth - width - GAP_PX))}px`;
  panel.style.visibility = "visible";
}

/** Arrow keys move between the buttons, as in a menu. */
export function walkButtons(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLButtonElement)) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll("button")];
  all[(all.indexOf(event.target) + step + all.length) % all.length]?.focus();
}

interface Props {
  label: string;
  className?: string;
  button: ReactNode;
  onOpen?(isOpen: boolean): void;
  /** The content, rendered only while it is open; `close` closes it. */
  children(close: () => void): ReactNode;
}

/** A button that opens a panel beside it. The browser closes it on Escape or a click elsewhere. */
export function Popover({ label, className = "icon-button", button, onOpen, children }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useCover(isOpen, () => panel.current?.hidePopover());
  const toggled = ({ newState }: ToggleEvent) => {
    if (newState !== "open") {
      setOpen(false);
      onOpen?.(false);
      return;
    }
    if (panel.current !== null && opener.current !== null) placeBeside(panel.current, opener.current);
    panel.current?.querySelector<HTMLElement>("input, button")?.focus();
  };
  const opening = ({ newState }: ToggleEvent) => {
    if (newState !== "open") return;
    if (panel.current !== null) panel.current.style.visibility = "hidden";
    flushSync(() => setOpen(true));
    onOpen?.(true);
  };
  return (
    <>
      <button
        type="button"
        ref={opener}
        className={className}
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys walk through the buttons in it, which are what is pressed */}
      <div
        id={id}
        ref={panel}
        popover="auto"
        className="popover"
        onBeforeToggle={opening}
        onToggle={toggled}
        onKeyDown={walkButtons}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useCover } from "./covers/use-cover.ts";
import { CloseIcon } from "./icons.tsx";
import { type LeaveGuard, LeaveGuards, mayLeave } from "./leave-guards.ts";

/** The first field of a form, which receives the focus. */
const FIELD = "form :is(input, textarea, select):enabled:not([type=hidden])";

interface Props {
  title: string;
  /** A sheet is at the bottom of the window, in reach of a thumb. */
  kind?: "window" | "sheet";
  onClose(): void;
  children: ReactNode;
}

/** A modal dialog, open while it is mounted. Escape, the close button and a click outside call `onClose`. */
export function Dialog({ title, kind = "window", onClose, children }: Props) {
  const texts = useTexts();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [guards] = useState(() => new Set<LeaveGuard>());
  const [opened, setOpened] = useState(0);
  useCover(true, () => dialog.current?.close(), opened);
  const closed = async () => {
    if (guards.size === 0) return onClose();
    // A browser closes it whatever a handler says, at the latest at the second Escape.
    dialog.current?.showModal();
    setOpened((times) => times + 1);
    if (await mayLeave(guards)) onClose();
  };
  // Close it before it is removed, so that the browser restores the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The browser would focus the close button. Touch devices are excluded: the keyboard would cover half of the
    // window.
    if (matchMedia("(pointer: fine)").matches) shown?.querySelector<HTMLElement>(FIELD)?.focus();
    return () => shown?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      className={kind === "sheet" ? "sheet" : undefined}
      aria-labelledby={id}
      // React bubbles the close event of nested dialogs.
      onClose={(event) => event.target === dialog.current && void closed()}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close();
      }}
    >
      <div className="dialog">
        <header>
          <h2 id={id}>
            <bdi>{title}</bdi>
          </h2>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.app.close}
            onClick={() => dialog.current?.close()}
          >
            <CloseIcon />
          </button>
        </header>
        <LeaveGuards value={guards}>{children}</LeaveGuards>
      </div>
    </dialog>
  );
}

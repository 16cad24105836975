import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { CloseIcon } from "./icons.tsx";
import { useTexts } from "./parley-context.ts";

/** What somebody who opens a form wants to fill in first. */
const FIELD = "form :is(input, textarea, select):enabled:not([type=hidden])";

/** A window over the page, while it is there. Escape, the cross and a click beside it ask to close it. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  const texts = useTexts();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it is taken away: the browser then gives the focus back to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The browser takes what can be pressed first, the cross. Where a keyboard would cover half of the window it is left to the hand.
    if (matchMedia("(pointer: fine)").matches) shown?.querySelector<HTMLElement>(FIELD)?.focus();
    return () => shown?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      aria-labelledby={id}
      // React lets it rise from a window over this one.
      onClose={(event) => event.target === dialog.current && onClose()}
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
        {children}
      </div>
    </dialog>
  );
}

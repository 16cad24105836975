import { type ReactNode, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import type { OpenCard } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { placeBeside, walkButtons } from "../ui/popover.tsx";
import { useMedia } from "../ui/use-media.ts";
import { PersonCard } from "./person-card.tsx";

const NARROW = "(max-width: 719px)";

/** The card of a person or agent: beside what was pressed, or on a phone at the bottom of the window. */
export function OpenedCard({ card }: { card: OpenCard }) {
  const parley = useParley();
  const isNarrow = useMedia(NARROW);
  const close = () => parley.openCard.set(null);
  const shown = <PersonCard card={card} close={close} />;
  const { anchor } = card;
  const key = `${card.kind} ${card.name}`;
  if (isNarrow || anchor === null) {
    return (
      <DialogBoundary key={key} onClose={close}>
        <Dialog title={card.name} kind={isNarrow ? "sheet" : "window"} onClose={close}>
          {shown}
        </Dialog>
      </DialogBoundary>
    );
  }
  return createPortal(
    <CardPopover key={key} card={card} anchor={anchor} onClose={close}>
      {shown}
    </CardPopover>,
    // All that is outside of an open window is inert.
    anchor.closest("dialog") ?? document.body,
  );
}

interface PopoverProps {
  card: OpenCard;
  anchor: HTMLElement;
  onClose(): void;
  children: ReactNode;
}

/** The browser closes it on Escape or a press elsewhere, and returns the focus. */
function CardPopover({ card, anchor, onClose, children }: PopoverProps) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = panel;
    if (current === null) return;
    current.showPopover();
    placeBeside(current, anchor, "start");
    current.focus();
    return () => {
      if (current.matches(":popover-open")) current.hidePopover();
    };
  }, [anchor]);
  return (
    <div
      ref={panel}
      popover="auto"
      role="dialog"
      aria-label={card.name}
      className="popover"
      tabIndex={-1}
      onToggle={({ newState }) => newState === "closed" && onClose()}
      onKeyDown={walkButtons}
    >
      {children}
    </div>
  );
}

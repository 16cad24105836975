import type { ReactNode } from "react";
import type { OpenCard } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";

interface Props {
  card: OpenCard;
  /** Reached by Tab; otherwise another key or button opens the card. */
  isStop?: boolean;
  /** True for a picture beside the name, which has the same button. */
  isPicture?: boolean;
  children: ReactNode;
}

/** A name or picture that opens the card of its person or agent when it is pressed. */
export function CardOpener({ card, isStop = false, isPicture = false, children }: Props) {
  const parley = useParley();
  return (
    <button
      type="button"
      className="card-opener"
      tabIndex={isStop ? 0 : -1}
      aria-hidden={isPicture}
      aria-haspopup="dialog"
      onClick={({ currentTarget }) => parley.openCard.set({ ...card, anchor: currentTarget })}
    >
      {children}
    </button>
  );
}

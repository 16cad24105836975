import { lazy } from "../session/lazy.tsx";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

const OpenedCard = lazy(async () => (await import("./opened-card.tsx")).OpenedCard);

/** The card that is open, if any. */
export function CardPlace() {
  const card = useStore(useParley().openCard);
  return card === null ? null : <OpenedCard card={card} />;
}

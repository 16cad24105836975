import { useTexts } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import type { Typists } from "./typists.ts";

/** "ana and ben are typing". */
export function TypingLine({ typists }: { typists: Typists }) {
  const { people } = useTexts();
  const names = useStore(typists.names);
  return (
    <p className="typing" aria-live="off">
      {names.length > 0 && <bdi>{people.typing(names)}</bdi>}
    </p>
  );
}

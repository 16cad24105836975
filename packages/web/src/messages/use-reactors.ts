import { useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";

/** A tooltip has room for this many names. */
const NAMED = 8;

interface Reactors {
  /** The people who gave the reaction, as a part of a sentence; null: not asked yet. */
  names: string | null;
  /** Asks the server, unless that was done for this count. */
  ask(): void;
}

/** The names of those who gave a reaction. They are read when they are first needed, and dropped when the count changes. */
export function useReactors(messageId: number, reaction: string, count: number): Reactors {
  const parley = useParley();
  const { finding: texts } = useTexts();
  const self = useSelf();
  const [found, setFound] = useState<readonly string[] | null>(null);
  const asked = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another count has other names
  useEffect(() => {
    asked.current = null;
    setFound(null);
  }, [count]);
  const read = async () => {
    const page = await parley.client.messages.reactors(messageId, reaction, { limit: NAMED });
    if (asked.current === count) setFound(page.actors.map(({ name }) => name));
  };
  const ask = () => {
    if (asked.current === count) return;
    asked.current = count;
    read().catch(() => {
      // The number is shown all the same; the next look asks again.
      asked.current = null;
    });
  };
  if (found === null || found.length === 0) return { names: null, ask };
  const others = found.filter((name) => name !== self);
  const names = others.length === found.length ? others : [texts.you, ...others];
  return { names: texts.names(names, Math.max(0, count - found.length)), ask };
}

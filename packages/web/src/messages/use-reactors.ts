import type { ActorKind } from "@parley/protocol/values";
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useFullNames } from "../people/full-names.ts";
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
  const [found, setFound] = useState<readonly { kind: ActorKind; name: string }[] | null>(null);
  // Agents have no display names.
  const shown = useFullNames((found ?? []).flatMap(({ kind, name }) => (kind === "user" ? [name] : [])));
  const asked = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another count has other names
  useEffect(() => {
    asked.current = null;
    setFound(null);
  }, [count]);
  const read = async () => {
    const page = await parley.client.messages.reactors(messageId, reaction, { limit: NAMED });
    if (asked.current === count) setFound(page.actors);
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
  const users = shown.values();
  const full = found.map(({ kind, name }) => ({ name, full: kind === "user" ? (users.next().value ?? name) : name }));
  const others = full.flatMap(({ name, full }) => (name === self ? [] : [full]));
  const names = others.length === found.length ? others : [texts.you, ...others];
  return { names: texts.names(names, Math.max(0, count - found.length)), ask };
}

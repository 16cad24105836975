import fc from "fast-check";

/** One change in one place of a JSON value. */
export interface Change {
  /** The index of the place among all places, modulo their number. */
  place: number;
  act: { kind: "remove" } | { kind: "put"; value: unknown } | { kind: "digit"; at: number };
}

/** Generates changes. Inserted values are drawn from `strange`. */
export const changes = (strange: fc.Arbitrary<unknown>): fc.Arbitrary<Change> =>
  fc.record({
    place: fc.nat(),
    act: fc.oneof(
      fc.constant({ kind: "remove" } as const),
      fc.record({ kind: fc.constant("put" as const), value: strange }),
      fc.record({ kind: fc.constant("digit" as const), at: fc.nat() }),
    ),
  });

type Holder = Record<string, unknown>;

/** Returns a copy that differs in that place; null if nothing is left. */
export function mutate(result: unknown, { place, act }: Change): unknown {
  const copy = { root: structuredClone(result) } as Holder;
  const places: [holder: Holder, key: string][] = [];
  const walk = (holder: Holder): void => {
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      // The bytes of a typed array cannot be removed one by one.
      if (typeof holder[key] === "object" && holder[key] !== null && !ArrayBuffer.isView(holder[key]))
        walk(holder[key] as Holder);
    }
  };
  walk(copy);
  const [holder, key] = places[place % places.length] ?? [copy, "root"];
  const old = holder[key];
  if (act.kind === "put") holder[key] = act.value;
  else if (act.kind === "remove" || typeof old !== "string" || old.length < 3) delete holder[key];
  else {
    const at = 2 + (act.at % (old.length - 2));
    holder[key] = `${old.slice(0, at)}${old[at] === "0" ? "1" : "0"}${old.slice(at + 1)}`;
  }
  return copy.root ?? null;
}

/** A placeholder for a value in a query's text: one that has a name, or one of a list that has a place. */
export class StandIn {
  readonly of: string | number;

  constructor(of: string | number) {
    this.of = of;
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(`"${this.of}" is not known when the statement is prepared.`);
  }
}

/**
 * Has a placeholder for every name but enumerates none: if spread into a query, the values would silently be missing.
 */
export const standIns: object = new Proxy(
  {},
  {
    get: (_, name) => new StandIn(String(name)),
    ownKeys() {
      throw new TypeError("The values are not known when the statement is prepared: name each value.");
    },
  },
);

/** Returns a text's parameters with the values, and those of the list, in the places of the placeholders. */
export function bound<Values extends object>(
  parameters: readonly unknown[],
  values: Values,
  list: readonly unknown[] = [],
): unknown[] {
  return parameters.map((place) => {
    if (!(place instanceof StandIn)) return place;
    return typeof place.of === "number" ? list[place.of] : values[place.of as keyof Values];
  });
}

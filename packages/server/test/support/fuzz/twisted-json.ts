import fc from "fast-check";

/** Generates JSON in which one value, at any depth, is replaced by another or left out. */
export function twisted(value: unknown): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom(
    undefined,
    null,
    true,
    -1,
    1e21,
    "",
    "\0",
    "\ud800",
    "../..",
    "not a date",
    [],
    {},
    [null],
    "9".repeat(40),
  );
  if (value === null || typeof value !== "object") return odd;
  const inside = Object.entries(value).map(([key, item]) =>
    twisted(item).map((other) => (Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other })),
  );
  return fc.oneof(odd, ...inside);
}

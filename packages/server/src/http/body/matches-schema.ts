import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

const compiled = new WeakMap<TSchema, Validator>();

/** True if the value matches the shape. The shape must be a constant: it is compiled on first use and cached. */
export function fits<T extends TSchema>(shape: T, value: unknown): value is Static<T> {
  const known = compiled.get(shape) ?? Compile(shape);
  compiled.set(shape, known);
  return known.Check(value);
}

import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

const compiled = new WeakMap<TSchema, Validator>();

/** Has the value that shape? For shapes that are constants: each is compiled with the first value it is held against. */
export function fits<T extends TSchema>(shape: T, value: unknown): value is Static<T> {
  const known = compiled.get(shape) ?? Compile(shape);
  compiled.set(shape, known);
  return known.Check(value);
}

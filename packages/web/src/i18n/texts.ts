import type { EN } from "./en.ts";

/** The same keys, in another language. */
export type Translation<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...of: infer A) => string
      ? (...of: A) => string
      : Translation<T[K]>;
};

/** What every language has to say: the keys of English, all of them. */
export type Texts = Translation<typeof EN>;

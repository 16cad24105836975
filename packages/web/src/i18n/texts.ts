import type { EN } from "./en.ts";
import type { EN_WINDOWS } from "./en-windows.ts";
import type { EN_FILES } from "./files/en.ts";
import type { EN_NAVIGATION } from "./navigation/en.ts";

/** The same keys as another language's texts, with the same parameters. */
export type Translation<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...of: infer A) => string
      ? (...of: A) => string
      : Translation<T[K]>;
};

/** The texts of the chat in one language: every key of the English texts. */
export type Texts = Translation<typeof EN>;

/** The texts of windows and red packets. They load with the windows' code, which keeps the chat itself small. */
export type WindowTexts = Translation<typeof EN_WINDOWS>;

/** The texts of the switcher, cards and shortcuts, which load with their windows' code. */
export type NavigationTexts = Translation<typeof EN_NAVIGATION>;

/** The texts of files, which load with the code that shows and uploads them. */
export type FileTexts = Translation<typeof EN_FILES>;

import type { Translation } from "../texts.ts";
import type { EN_WELCOME } from "./en.ts";

/** The texts of the first steps. They load with the code that shows them. */
export type WelcomeTexts = Translation<typeof EN_WELCOME>;

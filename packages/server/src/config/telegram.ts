import { boolean } from "./parse.ts";
import type { Variable } from "./variable.ts";

/** The setting of the door for bots that were made for Telegram (protocol §15). */
export const TELEGRAM_VARIABLES = {
  telegram: {
    name: "PARLEY_TELEGRAM",
    meaning: "Whether bots that were made for Telegram may call this server under `/telegram`.",
    byDefault: "true",
    parse: boolean,
  } satisfies Variable<boolean>,
} as const;

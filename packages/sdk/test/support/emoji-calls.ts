import type { CustomEmoji } from "../../src/resources/emoji.ts";
import type { Calls } from "./every-call.ts";

/** The calls of emoji. */
export const emojiCalls = (emoji: CustomEmoji): Calls => ({
  "emoji.list": (options) => emoji.list(options),
  "emoji.add": (options) => emoji.add("parrot", new Uint8Array(9), options),
  "emoji.remove": (options) => emoji.remove("parrot", options),
  "emoji.picture": (options) => emoji.picture("parrot", options),
});

import type { Scenario } from "../suite.ts";
import { memory, typing } from "./web-busy-channel.ts";
import { firstOpening, opening, script } from "./web-page-load.ts";
import { scrolling } from "./web-scrolling.ts";

/** The web client in Debian's Chromium. */
export const web: Scenario = {
  name: "web",
  about: "the chat at / in Chromium: first message, script, scrolling, typing and memory under 200 messages a second",
  cases: () => [opening, firstOpening, script, scrolling, typing, memory],
};

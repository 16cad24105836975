import type { Scenario } from "../suite.ts";
import { memory, typing } from "./web-busy-channel.ts";
import { firstOpening, opening, script, slowestOpening, slowOpening } from "./web-page-load.ts";
import { scrolling, scrollingCode } from "./web-scrolling.ts";

/** The web client in Debian's Chromium. */
export const web: Scenario = {
  name: "web",
  about: "the chat at / in Chromium: first message, script, scrolling, typing and memory under 200 messages a second",
  cases: () => [opening, slowOpening, slowestOpening, firstOpening, script, scrolling, scrollingCode, typing, memory],
};

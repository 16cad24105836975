import { embedPages } from "./embed.ts" with { type: "macro" };
import type { WebPages } from "./page.ts";

/** The pages as they were when the executable was built. */
export const EMBEDDED_PAGES: WebPages = embedPages();

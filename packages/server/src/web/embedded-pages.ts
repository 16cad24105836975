import type { WebPages } from "./bundle.ts";
import { embedPages } from "./embed.ts" with { type: "macro" };

/** The pages as they were when the executable was built. */
export const EMBEDDED_PAGES: WebPages = embedPages();

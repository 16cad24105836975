import { embedPage } from "./embed.ts" with { type: "macro" };
import type { WebPage } from "./page.ts";

/** The page as it was when the executable was built. */
export const EMBEDDED_PAGE: WebPage = embedPage();

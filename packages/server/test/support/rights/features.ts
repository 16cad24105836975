import * as previews from "./previews.ts";
import type { Recipe } from "./recipe.ts";
import * as scheduled from "./scheduled.ts";

/** The routes of features that have a file of their own. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = { ...previews.ROUTES, ...scheduled.ROUTES };

import * as emoji from "./emoji.ts";
import * as polls from "./polls.ts";
import * as previews from "./previews.ts";
import type { Recipe } from "./recipe.ts";
import * as scheduled from "./scheduled.ts";
import * as voiceNotes from "./voice-notes.ts";

/** Recipes of what is in channels and has a file of its own. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  ...scheduled.ROUTES,
  ...polls.ROUTES,
  ...previews.ROUTES,
  ...emoji.ROUTES,
  ...voiceNotes.ROUTES,
};

import * as on from "./objects.ts";
import { json, query, type Recipe, reads } from "./recipe.ts";

/** Recipes for the routes of an agent's inbox. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "GET /api/agenthub/me": [reads("read own inbox")],
  "GET /api/agenthub/inbox": [reads("read own inbox"), reads("read own inbox", on.channel, query("channel_slug"))],
  "GET /api/agenthub/inbox/kinds": [reads("read own inbox")],
  "PUT /api/agenthub/inbox/kinds": [reads("read own inbox", on.nothing, json({ kinds: [] }))],
  "POST /api/agenthub/inbox/ack": [reads("read own inbox", on.nothing, json({ item_ids: [1] }))],
};

import type { ErasingStep } from "../erasure.ts";
import { hashedSourceId, isHashed } from "./erased-people.ts";
import { renameItem, saltOf, userItems } from "./map.store.ts";

/**
 * Replaces the source's ids of a person by hashes: no later export brings them back (protocol §14.5), and the map does
 * not say who they were.
 */
export const eraseImportedPerson: ErasingStep = async (ctx, { userId }) => {
  for (const item of await userItems(ctx.db, userId).execute()) {
    if (isHashed(item.source_id)) continue;
    await renameItem(ctx.db, item, hashedSourceId(await saltOf(ctx.db, item.source), item.source_id));
  }
  return null;
};

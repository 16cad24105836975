import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AppContext } from "../../../src/context.ts";
import { transact } from "../../../src/db/transact.ts";
import { addReference, type KeptBytes } from "../../../src/files/pictures/foreign-picture.ts";
import { fileStorage } from "../../../src/files/storage/open-storage.ts";
import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { changes, type Recipe, reads } from "./recipe.ts";

const PREVIEW = { url: "https://example.org", title: "Example", description: null, site_name: null };
const PICTURE = "/api/preview-pictures/";

/** Stores bytes as those of a picture. */
async function storedPicture(ctx: AppContext): Promise<KeptBytes> {
  const bytes = "a picture";
  const kept = { sha256: createHash("sha256").update(bytes).digest("hex"), size_bytes: bytes.length };
  const key = await transact(ctx, (ctx) => addReference(ctx, kept));
  const path = join(fileStorage(ctx).incoming, Buffer.from(ctx.clock.random(8)).toString("hex"));
  await Bun.write(path, bytes);
  await fileStorage(ctx).store(key, path);
  return kept;
}

/** A message whose link has a preview with a picture. */
const previewed: ObjectKind = {
  ...on.message,
  async get(world, target, role) {
    const handles = await on.message.get(world, target, role);
    if (handles === null) return null;
    const { ctx } = world;
    const messageId = Number(handles.message_id);
    const id = Buffer.from(ctx.clock.random(16)).toString("hex");
    const previews = JSON.stringify([{ ...PREVIEW, image_url: PICTURE + id }]);
    const row = { ...(await storedPicture(ctx)), message_id: messageId, created_at: 0 };
    await ctx.db.updateTable("messages").set({ previews }).where("id", "=", messageId).execute();
    await ctx.db
      .insertInto("link_pictures")
      .values({ id, ...row })
      .execute();
    return { ...handles, index: 0, picture_id: id };
  },
};

const picture: ObjectKind = { ...previewed, notFound: "preview_not_found" };

export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "DELETE /api/messages/:messageId/previews/:index": [changes("remove preview", previewed)],
  "GET /api/preview-pictures/:picture_id": [reads("read preview pictures", picture)],
};

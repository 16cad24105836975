import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { previewMaker } from "./make-previews.ts";
import { release } from "./pictures.ts";
import * as store from "./previews.store.ts";
import { PAGE_MS } from "./show-previews.ts";

const SWEEP_MS = 60_000;
const SWEEP_MAX = 500;
/** A picture is made after its page was taken, so it is older than its page may be only by the clocks of two nodes. */
const PICTURE_MS = PAGE_MS + 60 * 60_000;

/** Where the search for pictures without a message ended: a few are looked at in each sweep. */
const place = perServer(() => ({ after: "" }));

/** Forgets old pages and the pictures that nothing shows, every minute, until the server closes. */
export function startPreviewSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep link previews", SWEEP_MS, "the sweep of link previews failed", () => sweepPreviews(ctx));
}

/**
 * Runs one pass. Pictures lose their messages here only when another release has deleted these, or when an edit has
 * dropped a link.
 */
export async function sweepPreviews(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  previewMaker(ctx).forgetShares();
  await store.forgetPages(ctx.db, now - PAGE_MS, SWEEP_MAX);
  await transact(ctx, async (ctx) => release(ctx, await store.deletePagePictures(ctx.db, now - PICTURE_MS, SWEEP_MAX)));
  const at = place(ctx);
  const placed = await store.picturesAfter(ctx.db, at.after, SWEEP_MAX);
  at.after = placed.length < SWEEP_MAX ? "" : (placed.at(-1)?.id ?? "");
  const lost = placed.filter(({ id, previews }) => !previews?.includes(id)).map(({ id }) => id);
  if (lost.length === 0) return;
  await transact(ctx, async (ctx) => release(ctx, await store.deletePicturesById(ctx.db, lost)));
}

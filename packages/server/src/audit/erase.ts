import { type ErasingStep, withoutName } from "../erasure.ts";
import { erasedActor } from "./audit.ts";
import { namingLines, newestLine, renameActor, rewriteDetails } from "./erase.store.ts";

const ACTS = 200;
const LINES = 1_000;

/** Replaces the user's name with their id in the log lines of their own acts. */
export const eraseActor: ErasingStep = async (ctx, { userId, username }, from) =>
  (await renameActor(ctx.db, username, erasedActor(userId), ACTS)) < ACTS ? null : from;

/** Removes the user's name from the details of log lines. The lines themselves stay: their subject is the user's id. */
export const eraseAuditDetails: ErasingStep = async (ctx, { username }, { a: after }) => {
  const newest = await newestLine(ctx.db);
  if (after >= newest) return null;
  const upTo = Math.min(after + LINES, newest);
  for (const { id, details } of await namingLines(ctx.db, username, after, upTo)) {
    const rewritten = details === null ? null : withoutName(details, username);
    if (rewritten !== null) await rewriteDetails(ctx.db, id, rewritten);
  }
  return { a: upTo, b: 0 };
};

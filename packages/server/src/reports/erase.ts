import { DELETED_USER } from "@parley/protocol/privacy";
import { type ErasedUser, type ErasingStep, withoutName } from "../erasure.ts";
import { blankReasons, reportsAfter, rewriteReport, type StoredReport } from "./erase.store.ts";

const REPORTS = 200;

/** Clears the reasons the user wrote in reports. The reports stay, with their message copies. */
export const eraseReasons: ErasingStep = async (ctx, { userId }) => {
  await blankReasons(ctx.db, userId);
  return null;
};

/**
 * Replaces the user's name in moderators' copies of messages and as the handler of reports. The copies themselves stay.
 */
export const eraseReports: ErasingStep = async (ctx, user, { a: after }) => {
  const rows = await reportsAfter(ctx.db, after, REPORTS);
  for (const row of rows) {
    const snapshot = namelessCopy(row, user);
    const isHandler = row.handled_by === user.username;
    if (snapshot === null && !isHandler) continue;
    const handled_by = isHandler ? DELETED_USER : row.handled_by;
    await rewriteReport(ctx.db, { id: row.id, snapshot: snapshot ?? row.snapshot, handled_by });
  }
  const last = rows.at(-1);
  return last === undefined ? null : { a: last.id, b: 0 };
};

/**
 * Returns the copy without the name; null if it needs no change. For the user's own messages it also removes the
 * client's message key, as in the messages themselves.
 */
function namelessCopy({ author_id, snapshot }: StoredReport, { userId, username }: ErasedUser): string | null {
  const nameless = withoutName(snapshot, username);
  if (author_id !== userId) return nameless;
  return JSON.stringify({ ...(JSON.parse(nameless ?? snapshot) as object), client_msg_id: null });
}

import { DELETED_USER } from "@parley/protocol/privacy";
import type { ErasingStep } from "../erasure.ts";
import { forgetUsage } from "./blobs.store.ts";
import { disownFiles, filesOfUser } from "./files.store.ts";
import { removeUnsent } from "./removal.ts";

const FILES = 200;

/**
 * Removes the user's files that were not sent. The others belong to their messages, like the text, and stay without the
 * user's name.
 */
export const eraseFiles: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const rows = await filesOfUser(ctx.db, userId, after, FILES);
  const unsent = rows.filter(({ message_id }) => message_id === null).map(({ id }) => id);
  await removeUnsent(ctx, unsent);
  const sent = rows.filter(({ message_id }) => message_id !== null).map(({ id }) => id);
  if (sent.length > 0) await disownFiles(ctx.db, sent, DELETED_USER);
  const last = rows.at(-1);
  if (last !== undefined && rows.length === FILES) return { a: last.id, b: 0 };
  await forgetUsage(ctx.db, `u${userId}`);
  return null;
};

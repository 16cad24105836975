import { storeHiddenAvatar } from "../../accounts/hidden/hidden-avatars.ts";
import type { AppContext } from "../../context.ts";
import { accountsWithoutAvatar } from "../made.store.ts";
import type { OpenSource, SourceUser } from "../source.ts";
import type { Directory } from "../write/directory.ts";
import { pictureBytes } from "./picture-bytes.ts";

/** What is left out is named by this. */
export const AVATAR_REASON = "avatar_not_taken";

/**
 * Gives the accounts of an import the pictures of their people. Accounts that were there before keep theirs. Returns the
 * source ids of people whose picture is not taken.
 */
export async function takeAvatars(
  ctx: AppContext,
  importId: number,
  users: Iterable<SourceUser>,
  { people, open, progress }: Pick<Directory, "people"> & { open: OpenSource["file"]; progress(count: number): void },
): Promise<string[]> {
  const lost: string[] = [];
  let count = 0;
  const waiting = new Set(await accountsWithoutAvatar(ctx.db, importId));
  for (const { id, avatar } of users) {
    const person = people.get(id);
    if (avatar === undefined || person?.kind !== "user" || !waiting.has(person.id)) continue;
    const bytes = await pictureBytes(avatar, open);
    if (bytes === null || !(await storeHiddenAvatar(ctx, person.id, bytes))) lost.push(id);
    count += 1;
    progress(count);
  }
  return lost;
}

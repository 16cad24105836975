import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic, userTopic } from "../../realtime/topics.ts";
import { channelsOfUser, findAvatarEtags } from "../accounts.store.ts";

/** The version of a picture on the wire: its ETag without the quotes. */
const versionOf = (etag: string): string => etag.slice(1, -1);

/** Returns true if `version` names this picture, so that the response is immutable. */
export const isVersion = (etag: string, version: string | undefined): boolean => versionOf(etag) === version;

/**
 * Returns the picture versions of those users who have a picture.
 * @throws session_required
 */
export async function avatarVersions(
  ctx: AppContext,
  caller: Identity,
  usernames: string,
): Promise<{ username: string; version: string }[]> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const found = await findAvatarEtags(ctx.db, [...new Set(usernames.split(","))]);
  return found.map(({ username, etag }) => ({ username, version: versionOf(etag) }));
}

/**
 * Publishes a changed picture, after the commit, to everybody who may be showing the user. `etag` is null when it was
 * removed.
 */
export async function publishAvatarChange(
  ctx: AppContext,
  user: { id: number; username: string },
  etag: string | null,
): Promise<void> {
  const data = { username: user.username, version: etag === null ? null : versionOf(etag) };
  const topics = (await channelsOfUser(ctx.db, user.id)).map(channelTopic);
  for (const topic of [userTopic(user.id), ...topics]) publishEvent(ctx, topic, "user:avatar", data);
}

import { AVATARS_ASKED_MAX } from "@parley/protocol/limits";
import type { UserClient } from "@parley/sdk";
import { Lookup } from "../../state/lookup.ts";

/** The version of each user's picture, by lower-case name. */
export type Avatars = Lookup<string, string>;

/** The lower-case form by which names are compared. */
export const avatarKey = (username: string): string => username.toLowerCase();

export function makeAvatars(client: UserClient): Avatars {
  return new Lookup({
    maxKeys: AVATARS_ASKED_MAX,
    async fetch(names) {
      const { avatars } = await client.accounts.avatars(names);
      return new Map(avatars.map(({ username, version }) => [avatarKey(username), version]));
    },
  });
}

/** Returns the picture's URL; with the version in `v`, the browser can cache it forever. */
export const avatarAddress = (username: string, version: string): string =>
  `/api/user/${encodeURIComponent(username)}/avatar?v=${encodeURIComponent(version)}`;

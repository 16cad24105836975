import { AVATARS_ASKED_MAX } from "@parley/protocol/limits";
import type { ParleyClient } from "@parley/sdk/client";
import { Lookup } from "../app/lookup.ts";

/** Which picture each user has, by name in small letters: its version. */
export type Avatars = Lookup<string, string>;

/** As names are compared. */
export const avatarKey = (username: string): string => username.toLowerCase();

export function makeAvatars(client: ParleyClient): Avatars {
  return new Lookup({
    most: AVATARS_ASKED_MAX,
    async ask(names) {
      const { avatars } = await client.accounts.avatars(names);
      return new Map(avatars.map(({ username, version }) => [avatarKey(username), version]));
    },
  });
}

/** Where the picture is. What is behind `v` lets the browser keep it for good. */
export const avatarAddress = (username: string, version: string): string =>
  `/api/user/${encodeURIComponent(username)}/avatar?v=${encodeURIComponent(version)}`;

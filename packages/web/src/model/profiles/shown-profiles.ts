import { AVATARS_ASKED_MAX } from "@parley/protocol/limits";
import type { ShownProfile } from "@parley/protocol/profiles";
import type { UserClient } from "@parley/sdk";
import { Lookup } from "../../state/lookup.ts";
import { avatarKey } from "./avatars.ts";

/** Display names and statuses, by lower-case username. Users who have neither have no value. */
export type ShownProfiles = Lookup<string, ShownProfile>;

export function makeShownProfiles(client: UserClient): ShownProfiles {
  return new Lookup({
    maxKeys: AVATARS_ASKED_MAX,
    async fetch(names) {
      const { profiles } = await client.accounts.profiles(names);
      return new Map(profiles.map((each) => [avatarKey(each.username), each]));
    },
  });
}

/** Returns a person's names for a line of text: two people may have the same display name. */
export const fullName = (username: string, shown: ShownProfile | null | undefined): string =>
  shown?.display_name == null || avatarKey(shown.display_name) === avatarKey(username)
    ? (shown?.display_name ?? username)
    : `${shown.display_name} (${username})`;

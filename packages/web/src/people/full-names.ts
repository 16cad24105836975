import { useEffect, useReducer } from "react";
import { avatarKey } from "../model/profiles/avatars.ts";
import { fullName } from "../model/profiles/shown-profiles.ts";
import { useParley } from "../session/parley-context.ts";

/** Returns these users' names for a line of text, with their display names once those are known. */
export function useFullNames(names: readonly string[]): string[] {
  const { profiles } = useParley();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  // No name has a comma.
  const all = names.join();
  useEffect(() => {
    if (all === "") return;
    const ends = all.split(",").map((name) => profiles.watch(avatarKey(name), draw));
    return () => {
      for (const end of ends) end();
    };
  }, [profiles, all]);
  return names.map((name) => fullName(name, profiles.get(avatarKey(name))));
}

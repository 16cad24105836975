import { ParleyError } from "@parley/sdk";
import type { Parley } from "../../session/parley.ts";
import { useParley } from "../../session/parley-context.ts";
import { Lookup, useLookup } from "../../state/lookup.ts";

const lookups = new WeakMap<Parley, Lookup<string, string>>();

/** Returns the verified owners of agents by the agents' names, each of which is asked for once. */
function ownersOf(parley: Parley): Lookup<string, string> {
  const known = lookups.get(parley);
  if (known !== undefined) return known;
  const made = new Lookup<string, string>({
    maxKeys: 1,
    async fetch([name = ""]) {
      try {
        const { owner_username: owner } = await parley.client.agents.profile(name);
        return new Map(owner === null ? [] : [[name, owner]]);
      } catch (error) {
        if (error instanceof ParleyError && error.status === 404) return new Map();
        throw error;
      }
    },
  });
  lookups.set(parley, made);
  return made;
}

/** Returns the verified owner of an agent; null: it has none, undefined: this is not known. A null name asks for nothing. */
export const useOwnerOf = (name: string | null): string | null | undefined => useLookup(ownersOf(useParley()), name);

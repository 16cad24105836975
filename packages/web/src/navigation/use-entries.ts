import { useMemo, useState } from "react";
import type { Parley } from "../session/parley.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { recentChannels } from "../state/recent-channels.ts";
import { useStore } from "../state/store.ts";
import { type Known, rankEntries, type SwitchEntry, switchEntries } from "./switch-entries.ts";
import { useFoundUsers } from "./use-found-users.ts";
import { useTalkingAgents } from "./use-talking-agents.ts";

/**
 * Returns what to offer for a typed text: what the page knows at once, and what the server finds a moment later. `isDirect`:
 * only people and agents to write to.
 */
export function useEntries(typed: string, isDirect: boolean): readonly SwitchEntry[] {
  const parley = useParley();
  const self = useSelf();
  const { channels } = useStore(parley.channels.view);
  const found = useFoundUsers(typed);
  const [recent] = useState(recentChannels);
  const [met] = useState(() => knownPeople(parley));
  const talking = useTalkingAgents(met, isDirect ? typed : null);
  return useMemo(() => {
    const entries = switchEntries(channels, [...met, ...found, ...talking], self, parley.shownName);
    const mayTalk = ({ kind, key }: SwitchEntry) =>
      kind === "user" || kind === "direct" || talking.some(({ name }) => key === `agent ${name.toLowerCase()}`);
    const offered = isDirect ? entries.filter(mayTalk) : entries;
    const open = parley.channelAt(parley.route.get())?.id;
    // The open channel is not where anybody wants to go first.
    const elsewhere = typed === "" ? offered.filter(({ channel }) => channel?.id !== open) : offered;
    return rankEntries(elsewhere, typed, recent);
  }, [parley, channels, met, found, talking, self, isDirect, typed, recent]);
}

/** Returns the people and agents in the online lists of the user's channels, and the known members of the open one. */
function knownPeople(parley: Parley): Known[] {
  const { channels } = parley.channels.view.get();
  const joined = channels.filter(({ my_role }) => my_role !== null).map(({ id }) => parley.channelSession(id));
  const open = parley.channelAt(parley.route.get());
  const sessions = open === undefined ? joined : [...joined, parley.channelSession(open.id)];
  return sessions.flatMap((each) => [...each.people.get().users, ...each.suggested.members.all.get()]);
}

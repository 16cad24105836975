import type { Channel } from "@parley/protocol/models";
import type { Sidebar } from "@parley/protocol/preferences";
import type { Language } from "../i18n/languages.ts";

export type GroupKind = "favourites" | "section" | "mine" | "direct" | "others";

/** A part of the list of channels. */
export interface ChannelGroup {
  /** Lasts across sessions: what is collapsed is stored by it. */
  key: string;
  kind: GroupKind;
  /** A section's name. */
  name?: string;
  channels: readonly Channel[];
}

interface Source {
  channels: readonly Channel[];
  sidebar: Sidebar;
  /** The ids of channels, the one with the newest message first. */
  activity: readonly number[];
  isGuest: boolean;
  language: Language;
}

const collators: Partial<Record<Language, Intl.Collator>> = {};

/** Browsers take milliseconds to make one. */
function collatorOf(language: Language): Intl.Collator {
  collators[language] ??= new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  return collators[language];
}

/**
 * Arranges the user's channels: favourites, their sections, the rest, and conversations; then channels of others, in the
 * order of the server's pages. A favourite is shown there alone. Empty groups are left out, except those to which the user
 * adds channels and conversations.
 */
export function groupsOf({ channels, sidebar, activity, isGuest, language }: Source): ChannelGroup[] {
  // A guest has no channels; these are what they can read.
  if (isGuest) return [{ key: "mine", kind: "mine", channels }];
  const { compare } = collatorOf(language);
  const places = new Map(activity.map((id, place) => [id, place]));
  const placeOf = ({ id }: Channel) => places.get(id) ?? places.size;
  const byName = (a: Channel, b: Channel) => compare(labelOf(a), labelOf(b)) || a.id - b.id;
  const sorted = (all: readonly Channel[] = []) =>
    all.toSorted((a, b) => (sidebar.sorting === "activity" ? placeOf(a) - placeOf(b) : 0) || byName(a, b));
  const others = channels.filter(({ my_role }) => my_role === null);
  const own = Map.groupBy(
    channels.filter(({ my_role }) => my_role !== null),
    ({ id, is_direct }) => {
      const { favourite = false, section = null } = sidebar.channels[id] ?? {};
      if (favourite) return "favourites";
      return section === null ? (is_direct ? "direct" : "mine") : `section ${section}`;
    },
  );
  const sections = sectionsOf(channels, sidebar, language).map(
    (name): ChannelGroup => ({
      key: `section ${name}`,
      kind: "section",
      name,
      channels: sorted(own.get(`section ${name}`)),
    }),
  );
  const groups: ChannelGroup[] = [
    { key: "favourites", kind: "favourites", channels: sorted(own.get("favourites")) },
    ...sections,
    { key: "mine", kind: "mine", channels: sorted(own.get("mine")) },
    { key: "direct", kind: "direct", channels: sorted(own.get("direct")) },
    { key: "others", kind: "others", channels: others },
  ];
  return groups.filter(({ kind, channels }) => kind === "mine" || kind === "direct" || channels.length > 0);
}

/** Returns the names of the user's sections, by name. */
export function sectionsOf(channels: readonly Channel[], sidebar: Sidebar, language: Language): string[] {
  const names = new Set(channels.flatMap(({ id }) => sidebar.channels[id]?.section ?? []));
  return [...names].sort(new Intl.Collator(language, { numeric: true }).compare);
}

type Named = Pick<Channel, "direct_with" | "direct_with_agent" | "name">;

/** Returns a channel's name as it is shown; for a conversation the other one's. */
export const labelOf = ({ direct_with, direct_with_agent, name }: Named): string =>
  direct_with ?? direct_with_agent ?? name;

/**
 * Returns the channel before or after the current one, as the sidebar lists the user's own; from the last it goes on
 * with the first. `onlyUnread`: passes over what has been read.
 */
export function adjacentChannel(
  groups: readonly ChannelGroup[],
  currentId: number | undefined,
  step: -1 | 1,
  onlyUnread: boolean,
): Channel | undefined {
  const listed = groups.flatMap(({ kind, channels }) => (kind === "others" ? [] : channels));
  const at = listed.findIndex(({ id }) => id === currentId);
  // Outside of the list, the way down begins at its first channel and the way up at its last.
  const start = at === -1 && step === -1 ? listed.length : at;
  const count = at === -1 ? listed.length : listed.length - 1;
  for (let passed = 1; passed <= count; passed += 1) {
    const channel = listed[(start + step * passed + listed.length * 2) % listed.length];
    if (channel !== undefined && (!onlyUnread || (channel.unread_count ?? 0) > 0)) return channel;
  }
  return undefined;
}

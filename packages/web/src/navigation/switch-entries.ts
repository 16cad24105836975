import type { Channel } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";
import { labelOf } from "../model/channel-groups.ts";

/** A place or person that the switcher offers. */
export interface SwitchEntry {
  kind: "channel" | "direct" | ActorKind;
  /** Its id in lists. */
  key: string;
  name: string;
  /** Also found by this text. */
  alias: string | null;
  channel: Channel | null;
}

/** A person or agent known to the page. */
export interface Known {
  kind: ActorKind;
  name: string;
  /** The display name, if the server has told it. */
  shown?: string | null;
}

/** So many entries are offered. */
const SHOWN = 12;

/** Returns everything that can be gone to. `shownOf`: the display names that the page knows. A person or agent with a conversation is listed once, as that conversation. */
export function switchEntries(
  channels: readonly Channel[],
  people: readonly Known[],
  self: string | null,
  shownOf: (username: string) => string | null = () => null,
): SwitchEntry[] {
  const entries = new Map<string, SwitchEntry>();
  for (const channel of channels) {
    const { direct_with: user, direct_with_agent: agent } = channel;
    const peer = user ?? agent ?? null;
    const key = peer === null ? `channel ${channel.id}` : `${user === null ? "agent" : "user"} ${peer.toLowerCase()}`;
    const [kind, alias] =
      peer === null
        ? (["channel", channel.channel_slug] as const)
        : (["direct", user === null ? null : shownOf(user)] as const);
    entries.set(key, { kind, key, name: labelOf(channel), alias, channel });
  }
  for (const { kind, name, shown = null } of people) {
    const key = `${kind} ${name.toLowerCase()}`;
    const alias = kind === "user" ? (shown ?? shownOf(name)) : null;
    const known = entries.get(key);
    if (known !== undefined) known.alias ??= alias;
    else if (name !== self) entries.set(key, { kind, key, name, alias, channel: null });
  }
  return [...entries.values()];
}

/** How well a name fits the query: 0 begins with it, 1 has a word that does, 2 contains it, 3 has its letters in order; null: not at all. */
export function fitOf(name: string, query: string): 0 | 1 | 2 | 3 | null {
  const [text, wanted] = [folded(name), folded(query)];
  const at = text.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)) ? 1 : 2;
  let found = 0;
  for (const letter of text) if (letter === wanted[found]) found += 1;
  return found === wanted.length ? 3 : null;
}

/** Without case and accents. */
const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/**
 * Returns the best entries for what is typed: first by how well they fit, then what is unread, then what was open
 * lately. `@` finds only people and agents, `#` only channels. `recent`: ids of channels, the latest first.
 */
export function rankEntries(entries: readonly SwitchEntry[], typed: string, recent: readonly number[]): SwitchEntry[] {
  const sign = /^[@#]/.exec(typed)?.[0];
  const query = typed.slice(sign === undefined ? 0 : 1).trim();
  const fits = entries.flatMap((entry) => {
    if (sign !== undefined && (entry.kind === "channel") !== (sign === "#")) return [];
    const fit = [entry.name, entry.alias].flatMap((text) => (text === null ? [] : (fitOf(text, query) ?? [])));
    return fit.length === 0 ? [] : [{ entry, ranks: [Math.min(...fit), ...placeOf(entry, recent)] }];
  });
  const by = (a: readonly number[], b: readonly number[]) =>
    a.map((rank, at) => rank - (b[at] ?? 0)).find(Boolean) ?? 0;
  return fits
    .toSorted((a, b) => by(a.ranks, b.ranks) || a.entry.name.localeCompare(b.entry.name))
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}

/** The lower, the earlier: unread, recent, one's own, then channels before people. */
function placeOf({ kind, channel }: SwitchEntry, recent: readonly number[]): number[] {
  const at = channel === null ? -1 : recent.indexOf(channel.id);
  return [
    (channel?.unread_count ?? 0) > 0 ? 0 : 1,
    at === -1 ? recent.length : at,
    channel !== null && channel.my_role !== null ? 0 : 1,
    ["channel", "direct", "user", "agent"].indexOf(kind),
  ];
}

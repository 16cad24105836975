import type { Channel } from "@parley/protocol/models";

/** The channels as the sidebar lists them. */
export interface ChannelGroups {
  mine: readonly Channel[];
  direct: readonly Channel[];
  others: readonly Channel[];
}

/** Groups the channels; a guest's are all their own. */
export function groupChannels(channels: readonly Channel[], isGuest: boolean): ChannelGroups {
  const rooms = channels.filter(({ is_direct }) => !is_direct);
  return {
    mine: rooms.filter(({ my_role }) => my_role !== null || isGuest),
    direct: channels.filter(({ is_direct }) => is_direct),
    others: rooms.filter(({ my_role }) => my_role === null && !isGuest),
  };
}

/**
 * Returns the channel before or after the current one, as the sidebar lists the user's own; from the last it goes on
 * with the first. `onlyUnread`: passes over what has been read.
 */
export function adjacentChannel(
  { mine, direct }: ChannelGroups,
  currentId: number | undefined,
  step: -1 | 1,
  onlyUnread: boolean,
): Channel | undefined {
  const listed = [...mine, ...direct];
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

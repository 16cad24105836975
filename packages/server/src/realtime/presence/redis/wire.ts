import type { Broker, BrokerMessage } from "../../broker/broker.ts";
import type { PresenceEntry } from "../presence.ts";
import type { Applied } from "./scripts.ts";
import type { RoomChange } from "./view.ts";

/** More entries are not sent: nodes that show the channel read it again. */
const ENTRIES_MAX = 100;
const EVENT = "presence";

/** The topic on which nodes publish changes of a channel's presence. No socket subscribes to it. */
export const presenceTopic = (channelId: number): string => `p:${channelId}`;

type Row = [id: number, name: string, honorLevel: number, since: number];

interface Wire extends Pick<RoomChange, "version" | "count" | "guests" | "isTruncated"> {
  joined: Row[];
  left: Row[];
  updated: Row[];
}

/**
 * Publishes what an update of Redis has changed, and returns it as others receive it. If it changed nothing, others only
 * learn the version: nodes that have missed one read the room.
 */
export function publishChange(broker: Broker, channelId: number, applied: Applied): RoomChange {
  const { version, count, guests, joined, left, updated } = applied;
  const isTruncated = !applied.isChange || joined.length + left.length + updated.length > ENTRIES_MAX;
  const change = isTruncated
    ? { version, count, guests, joined: [], left: [], updated: [], isTruncated }
    : { version, count, guests, joined, left, updated, isTruncated };
  const wire: Wire = {
    ...change,
    joined: change.joined.map(rowOf),
    left: change.left.map(rowOf),
    updated: change.updated.map(rowOf),
  };
  broker.publish(presenceTopic(channelId), [{ event: EVENT, frame: JSON.stringify(wire) }]);
  return change;
}

/** Reads a change that another node has published. */
export function readChange({ frame }: BrokerMessage): RoomChange {
  const wire = JSON.parse(frame) as Wire;
  return {
    ...wire,
    joined: wire.joined.map(entryOf),
    left: wire.left.map(entryOf),
    updated: wire.updated.map(entryOf),
  };
}

const rowOf = ({ id, name, honorLevel, since }: PresenceEntry): Row => [id, name, honorLevel, since];

function entryOf([id, name, honorLevel, since]: Row): PresenceEntry {
  return { kind: "user", id, name, honorLevel, since };
}

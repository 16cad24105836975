import { isoTime } from "../base/iso-time.ts";
import { ReplicaDamage } from "../replica/format.ts";
import type { ReplicaStorage } from "../replica/storage.ts";
import { type Chain, lastVolume, type ReplicaContent, recordsFrom, type Snapshot } from "./chains.ts";
import { LogEnds, type Progress, type Replayed, replay } from "./replay.ts";

/** A span of time to each moment of which a chain can restore the database. Epoch milliseconds. */
export interface Span {
  chain: string;
  from: number;
  to: number;
  snapshots: number;
  /** Why the chain began, in words. */
  reason: string;
}

/** Returns when the last commit of a chain was copied. Reads its last volumes only. Throws `ReplicaDamage`. */
export async function endOfChain(storage: ReplicaStorage, chain: Chain): Promise<number> {
  let end = chain.snapshots.at(-1)?.file.least.at ?? chain.file.at;
  for (let volume = await lastVolume(storage, chain), found = false; volume > 0 && !found; volume--) {
    for await (const { head } of recordsFrom(storage, chain, volume)) {
      if (head.type !== "frames" || !head.commit) continue;
      end = Math.max(end, head.at);
      found = true;
    }
  }
  return end;
}

/** Returns the spans that can be restored, the oldest first. Throws `ReplicaDamage`. */
export async function restorableSpans(storage: ReplicaStorage, { chains }: ReplicaContent): Promise<Span[]> {
  const spans: Span[] = [];
  for (const chain of chains) {
    const [first] = chain.snapshots;
    if (first === undefined) continue;
    const to = await endOfChain(storage, chain);
    const { name, file, snapshots } = chain;
    spans.push({ chain: name, from: first.file.least.at, to, snapshots: snapshots.length, reason: file.reason });
  }
  return spans;
}

/** Where a replay to a time can begin, the best place first: the snapshots of the latest chain that had begun by then. */
export function startsFor(
  { chains }: ReplicaContent,
  until: number | null,
): { chain: Chain; snapshots: Snapshot[] } | null {
  for (const chain of chains.toReversed()) {
    const snapshots = chain.snapshots.filter(({ file }) => until === null || file.least.at <= until);
    if (snapshots.length > 0) return { chain, snapshots: snapshots.toReversed() };
  }
  return null;
}

/**
 * Writes the database as it was at `until` (null: the newest) to an existing file. If a snapshot is damaged, it takes the
 * one before, and `tell` gets a sentence about it. Throws an error whose message says what is wrong and what to do.
 */
export async function restoreTo(
  storage: ReplicaStorage,
  content: ReplicaContent,
  until: number | null,
  target: string,
  { progress, tell }: { progress: Progress; tell: (text: string) => void },
): Promise<Replayed & { chain: Chain }> {
  const starts = startsFor(content, until);
  if (starts === null) throw new Error(await nothingText(storage, content, until));
  const { chain, snapshots } = starts;
  for (const [at, snapshot] of snapshots.entries()) {
    try {
      return { ...(await replay(storage, { chain, snapshot, until }, target, progress)), chain };
    } catch (error) {
      if (!(error instanceof ReplicaDamage)) throw error;
      if (error instanceof LogEnds && error.intactUntil !== null)
        throw new Error(
          `${error.message} Up to ${isoTime(error.intactUntil)} everything is intact. Restore that time with: --at ${isoTime(error.intactUntil)}`,
          { cause: error },
        );
      if (at + 1 === snapshots.length)
        throw new Error(`${error.message} Choose an earlier time (restore list shows them), or restore a backup.`, {
          cause: error,
        });
      tell(`${error.message} The snapshot before it is taken instead.`);
    }
  }
  throw new Error("The chain has no snapshot.");
}

async function nothingText(storage: ReplicaStorage, content: ReplicaContent, until: number | null): Promise<string> {
  const [first] = await restorableSpans(storage, content);
  if (first === undefined)
    return `The replica at ${storage.place} has no complete snapshot yet, so nothing can be restored from it.`;
  return `The replica at ${storage.place} begins at ${isoTime(first.from)}, after ${isoTime(until ?? first.from)}. Choose a later time.`;
}

import { listSnapshots } from "./snapshot.ts";
import type { ReplicaStorage } from "./storage.ts";

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes what no restore to the last `days` days needs. A snapshot goes only if the next one is older than that, *and*
 * at least that many newer ones exist: a clock that is set forward for a while removes one snapshot of a day at most.
 * With the last snapshot of a chain, the chain goes.
 */
export async function removeOld(
  storage: ReplicaStorage,
  { current, days, now }: { current: string; days: number; now: number },
): Promise<void> {
  const snapshots = await listSnapshots(storage);
  const isNeedless = (index: number): boolean => {
    const next = snapshots[index + 1];
    return next !== undefined && snapshots.length - 1 - index >= days && next.file.least.at < now - days * DAY_MS;
  };
  const kept = snapshots.filter((_, index) => !isNeedless(index));
  const objects = (await storage.list("chains/")).map(({ name }) => ({ name, ...placeOf(name) }));
  const needed = (chain: string) => kept.filter((snapshot) => snapshot.chain === chain);
  const volumes = new Set(
    objects.filter(({ kind, piece }) => kind === "log" && piece === null).map(({ name }) => name),
  );
  const isOld = ({ name, chain, kind, number, piece }: (typeof objects)[number]): boolean => {
    if (chain > current) return false; // another server's
    const [oldest] = needed(chain);
    if (oldest === undefined) return chain !== current;
    if (kind === "snapshots") return number < oldest.number;
    if (kind !== "log") return false;
    return number < oldest.file.start.volume || (piece !== null && volumes.has(name.slice(0, -piece.length)));
  };
  // A snapshot ends to exist before its parts; `chain.json` is the last of a chain.
  const rank = ({ name, kind }: (typeof objects)[number]) =>
    name.endsWith("snapshot.json") ? 0 : kind === "chain.json" ? 2 : 1;
  const old = objects.filter(isOld).sort((one, other) => rank(one) - rank(other));
  for (const { name } of old) await storage.remove(name);
}

interface Place {
  chain: string;
  kind: string;
  /** Of the snapshot or the volume. */
  number: number;
  /** `.<number>`; null: it is no piece. */
  piece: string | null;
}

function placeOf(name: string): Place {
  const [, chain = "", kind = "", rest = ""] = name.split("/");
  return { chain, kind, number: Number(/^\d+/.exec(rest)?.[0] ?? 0), piece: /\.\d{8}$/.exec(rest)?.[0] ?? null };
}

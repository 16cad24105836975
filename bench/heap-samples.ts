/**
 * Loaded into a server under test before its program: writes a line of JSON about its heap every minute, or every
 * `BENCH_HEAP_MS`. SIGUSR2 lets it collect all garbage first, so that the line says what is alive. With
 * `BENCH_HEAP_CLASSES`, such a line has the bytes of each class, and what SQLite gave back when it was asked to.
 */

import { heapStats } from "bun:jsc";
import { Database } from "bun:sqlite";
import { appendFileSync } from "node:fs";

/** A line of the file. */
export interface HeapSample {
  seconds: number;
  isCollected: boolean;
  /** The figures of the operating system. */
  resident: number;
  /** Bytes of what is alive, or was when it was last collected, with what it holds outside of the heap's blocks. */
  heapSize: number;
  heapCapacity: number;
  extraMemorySize: number;
  objectCount: number;
  /** Bytes of what is alive, by class. */
  classes?: Record<string, number>;
  /** Bytes that SQLite's caches gave back. */
  caches?: number;
}

const EVERY_MS = Number(process.env.BENCH_HEAP_MS ?? 60_000);
const WITH_CLASSES = process.env.BENCH_HEAP_CLASSES !== undefined;
/** Waits until the allocator has given back what was freed. */
const PURGE_MS = 1_500;
/** Of each node of a snapshot: id, size, class, flags. */
const NODE_FIELDS = 4;
const file = process.env.BENCH_HEAP_FILE ?? "";

function sample(isCollected: boolean): HeapSample {
  if (isCollected) Bun.gc(true);
  const { heapSize, heapCapacity, extraMemorySize, objectCount } = heapStats();
  const seconds = Math.round(process.uptime());
  const resident = process.memoryUsage.rss();
  return { seconds, isCollected, resident, heapSize, heapCapacity, extraMemorySize, objectCount };
}

function classes(): Record<string, number> {
  const { nodes, nodeClassNames } = Bun.generateHeapSnapshot();
  const bytes: Record<string, number> = {};
  for (let at = 0; at < nodes.length; at += NODE_FIELDS) {
    const name = nodeClassNames[nodes[at + 2] ?? 0] ?? "";
    bytes[name] = (bytes[name] ?? 0) + (nodes[at + 1] ?? 0);
  }
  return bytes;
}

const opened = new Set<Database>();
const { run } = Database.prototype;
if (WITH_CLASSES)
  Database.prototype.run = function (this: Database, ...parameters: Parameters<typeof run>) {
    opened.add(this);
    return run.apply(this, parameters);
  } as typeof run;

/** Asks SQLite for the memory of its caches. Returns the bytes that the process has less. */
async function caches(): Promise<number> {
  Bun.gc(true);
  await Bun.sleep(PURGE_MS);
  const before = process.memoryUsage.rss();
  for (const database of opened) run.call(database, "pragma shrink_memory");
  await Bun.sleep(PURGE_MS);
  return before - process.memoryUsage.rss();
}

const write = (line: HeapSample): void => appendFileSync(file, `${JSON.stringify(line)}\n`);

setInterval(() => write(sample(false)), EVERY_MS).unref();
process.on("SIGUSR2", async () => {
  const line = sample(true);
  write(WITH_CLASSES ? { ...line, classes: classes(), caches: await caches() } : line);
});

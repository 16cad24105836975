import { readFileSync } from "node:fs";
import type { HeapSample } from "./heap-samples.ts";

const MIB = 1024 * 1024;
/** Classes that hold the most, which a table names. */
const CLASSES = 8;

/** The resident memory of a process at one moment, by kind, in bytes. */
export interface Mappings {
  resident: number;
  /** Pages of files: the program, its libraries, SQLite's index of the log. */
  files: number;
  /** Code that was compiled while it ran. */
  compiled: number;
  /** The heap and what the allocator holds. */
  other: number;
}

/** What is known of a moment. */
export interface Moment {
  name: string;
  mappings: Mappings;
  heap: HeapSample;
}

/** Reads the mappings of a process. */
export function mappingsOf(pid: number): Mappings {
  const found: Mappings = { resident: 0, files: 0, compiled: 0, other: 0 };
  let kind: keyof Mappings = "other";
  for (const line of readFileSync(`/proc/${pid}/smaps`, "latin1").split("\n")) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ (\d+)/.exec(line);
    const bytes = 1024 * Number(/^Rss:\s+(\d+) kB/.exec(line)?.[1] ?? 0);
    if (mapping?.[2] === "0") kind = mapping[1]?.includes("x") === true ? "compiled" : "other";
    else if (mapping) kind = "files";
    found[kind] += bytes;
    found.resident += bytes;
  }
  return found;
}

/** Returns the whole lines of a file of heap samples. */
export function samples(file: string): HeapSample[] {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as HeapSample);
}

/** Returns two tables in Markdown: what holds the resident memory at each moment, and the largest classes of what is alive. */
export function holders(moments: readonly Moment[]): string {
  const rows: [string, (moment: Moment) => number | undefined][] = [
    ["resident", ({ mappings }) => mappings.resident],
    ["pages of files", ({ mappings }) => mappings.files],
    ["compiled code", ({ mappings }) => mappings.compiled],
    ["heap: alive, with the garbage since the last collection", ({ heap }) => heap.heapSize - heap.extraMemorySize],
    ["heap: free blocks and garbage", ({ heap }) => heap.heapCapacity - (heap.heapSize - heap.extraMemorySize)],
    ["texts and buffers outside of its blocks", ({ heap }) => heap.extraMemorySize],
    ["SQLite's caches", ({ heap }) => heap.caches],
    ["the rest of the allocator", restOf],
  ];
  const alive = moments.filter(({ heap }) => heap.classes !== undefined);
  const last = alive.map(({ heap }) => heap.classes ?? {});
  const most = (name: string) => Math.max(...last.map((classes) => classes[name] ?? 0));
  const names = [...new Set(last.flatMap(Object.keys))].sort((a, b) => most(b) - most(a)).slice(0, CLASSES);
  return [
    table("MiB", moments, rows),
    table(
      "alive, MiB",
      alive,
      names.map((name) => [name, ({ heap }) => heap.classes?.[name] ?? 0]),
    ),
  ].join("\n\n");
}

function restOf({ mappings, heap }: Moment): number {
  return mappings.other - heap.heapCapacity - heap.extraMemorySize - (heap.caches ?? 0);
}

function table(
  title: string,
  moments: readonly Moment[],
  rows: readonly (readonly [string, (moment: Moment) => number | undefined])[],
): string {
  const cells = (moment: Moment, of: (moment: Moment) => number | undefined) => {
    const bytes = of(moment);
    return bytes === undefined ? "" : (bytes / MIB).toFixed(1);
  };
  return [
    `| ${[title, ...moments.map(({ name }) => name)].join(" | ")} |`,
    `|${"---|".repeat(moments.length + 1)}`,
    ...rows.map(([name, of]) => `| ${[name, ...moments.map((moment) => cells(moment, of))].join(" | ")} |`),
  ].join("\n");
}

/**
 * Loaded into a server under test before its program: writes a line of JSON about its heap every minute, or every `BENCH_HEAP_MS`. SIGUSR2 lets it
 * collect all garbage first, so that the line says what is alive.
 */
import { heapStats } from "bun:jsc";
import { appendFileSync } from "node:fs";

const EVERY_MS = Number(process.env.BENCH_HEAP_MS ?? 60_000);
const file = process.env.BENCH_HEAP_FILE ?? "";

function sample(isCollected: boolean): void {
  if (isCollected) Bun.gc(true);
  const { heapSize, heapCapacity, extraMemorySize, objectCount } = heapStats();
  const resident = process.memoryUsage.rss();
  const line = {
    seconds: Math.round(process.uptime()),
    isCollected,
    resident,
    heapSize,
    heapCapacity,
    extraMemorySize,
    objectCount,
  };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

setInterval(() => sample(false), EVERY_MS).unref();
process.on("SIGUSR2", () => sample(true));

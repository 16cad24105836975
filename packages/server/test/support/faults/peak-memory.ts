import { readFileSync, writeFileSync } from "node:fs";

/**
 * Preloaded by a process, it writes to `PEAK_FILE` the most memory that the process had, in KiB. The figure that the parent gets
 * when a child ends includes its own memory, from the moment between fork and exec.
 */
process.on("exit", () => {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  if (peak === undefined || process.env.PEAK_FILE === undefined) throw new Error("The peak of memory is not known.");
  writeFileSync(process.env.PEAK_FILE, peak);
});

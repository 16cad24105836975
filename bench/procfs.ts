import { readFileSync } from "node:fs";

/** Clock ticks per second of /proc/<pid>/stat; 100 on every Linux that runs this. */
const TICKS = 100;

/** Returns the CPU seconds a process and its threads have used, user and system. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Returns the seconds in which a process's main thread ran, and those in which it waited for a core. */
export function mainThreadSeconds(pid: number): { ran: number; waited: number } {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ");
  return { ran: Number(ran) / 1e9, waited: Number(waited) / 1e9 };
}

/** Returns the busy CPU seconds of the whole machine, all cores together. */
export function machineCpuSeconds(): number {
  const [total = ""] = readFileSync("/proc/stat", "latin1").split("\n", 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = total.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
  if (!line) throw new Error(`no VmRSS for process ${pid}`);
  return Number(line[1]) * 1024;
}

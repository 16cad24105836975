import { cpuSeconds, machineCpuSeconds } from "../procfs.ts";
import type { CpuUse } from "./jobs.ts";

/** Starts measuring the CPU use of the server and of this process; the returned function stops. */
export function measureCpu(serverPid: number): () => { seconds: number; cpu: CpuUse; serverCpuSeconds: number } {
  const started = performance.now();
  const server = cpuSeconds(serverPid);
  const load = cpuSeconds(process.pid);
  const machine = machineCpuSeconds();
  return () => {
    const seconds = (performance.now() - started) / 1000;
    const serverCpuSeconds = cpuSeconds(serverPid) - server;
    const loadCpuSeconds = cpuSeconds(process.pid) - load;
    const others = Math.max(0, machineCpuSeconds() - machine - serverCpuSeconds - loadCpuSeconds);
    return {
      seconds,
      serverCpuSeconds,
      cpu: { server: serverCpuSeconds / seconds, load: loadCpuSeconds / seconds, others: others / seconds },
    };
  };
}

import type { HttpResult } from "../load/jobs.ts";
import type { Measurement } from "../suite.ts";

/** Converts the result of a run to responses per second, latency, CPU cost and bytes. */
export const toMeasurement = (result: HttpResult): Measurement => ({
  value: result.answers / result.seconds,
  cpu: result.cpu,
  details: {
    p50_ms: result.p50Ms,
    p99_ms: result.p99Ms,
    server_cpu_us_each: (result.cpu.server * result.seconds * 1e6) / result.answers,
    answer_bytes: result.bytes / result.answers,
  },
  faults:
    result.errors > 0
      ? [`${result.errors} errors beside ${result.allAnswers} good answers, the first: ${result.firstError}`]
      : [],
});

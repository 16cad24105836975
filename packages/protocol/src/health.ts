import { type Static, Type } from "typebox";
import { response } from "./values.ts";

/** Seconds between two samples of a server's health. */
export const HEALTH_SAMPLE_SECONDS = 10;

const column = (description: string) => Type.Array(Type.Number(), { description });

/** One value for each sample, oldest first; at most an hour. The last one covers the time since the one before. */
export const HealthSeries = Type.Object({
  messages_per_second: column("Messages stored."),
  requests_per_second: column("HTTP requests answered."),
  sockets: column("Open WebSockets."),
  commit_ms: column("Mean time of a commit of messages."),
  event_loop_lag_ms: column("Longest delay of the event loop."),
  cpu_percent: column("Processor time, in percent of one core."),
  memory_mib: column("Resident memory."),
  refusals_per_second: column("Requests and commands refused by a rate limit."),
});
export type HealthSeries = Static<typeof HealthSeries>;

/** Response of GET /api/admin/health. */
export const HealthResponse = response({
  node: Type.Union(
    [
      Type.Object({ id: Type.String(), name: Type.String(), nodes: Type.Integer({ description: "Live nodes." }) }),
      Type.Null(),
    ],
    { description: "The node of a cluster that answers; null: a lone server." },
  ),
  sample_seconds: Type.Integer({ description: "Seconds between two samples." }),
  series: HealthSeries,
});
export type HealthResponse = Static<typeof HealthResponse>;

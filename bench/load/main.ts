/** The load process. Runs one job at a time for the suite, and returns each result over the IPC channel. */

import { arrivals } from "./arrivals.ts";
import { sendAtConstantRate } from "./constant-rate.ts";
import { fanOut, joinStorm } from "./fan-out.ts";
import { httpLoad } from "./http-load.ts";
import type { Answer, Job, JobResults } from "./jobs.ts";
import { openLoop } from "./open-loop.ts";
import { joinRooms, sendToRooms } from "./rooms.ts";
import { SocketPool } from "./socket-pool.ts";

const pool = new SocketPool();

function run(job: Job): Promise<JobResults[Job["kind"]]> {
  switch (job.kind) {
    case "http":
      return httpLoad(job);
    case "open":
      return pool.open(job);
    case "join":
      return pool.join(job);
    case "fan-out":
      return fanOut(pool, job);
    case "join-storm":
      return joinStorm(pool, job);
    case "constant-rate":
      return sendAtConstantRate(pool, job);
    case "open-loop":
      return openLoop(pool, job);
    case "join-rooms":
      return joinRooms(pool, job);
    case "paced-rooms":
      return sendToRooms(pool, job);
    case "arrivals":
      return arrivals(pool, job);
    case "close":
      return pool.close();
  }
}

const answer = (message: Answer): void => {
  process.send?.(message);
};

process.on("message", (job: Job) => {
  run(job).then(
    (result) => answer({ ok: true, result }),
    (error: Error) => {
      // The stack is printed and not stored: its paths mean nothing on another machine.
      console.error(error.stack);
      answer({ ok: false, error: error.message });
    },
  );
});
process.on("disconnect", () => process.exit(0));

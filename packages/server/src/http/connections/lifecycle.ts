import { perServer } from "../../context.ts";

/** The server's state, which readiness checks report. A draining server closes each connection with its next answer. */
export interface Lifecycle {
  state: "starting" | "ready" | "draining";
  /** The port the server listens on; 0 before it listens. */
  port: number;
}

export const lifecycle = perServer((): Lifecycle => ({ state: "starting", port: 0 }));

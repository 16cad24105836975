import { perServer } from "../context.ts";

/** Where the server is in its life; readiness answers by it. One that drains closes each connection with the next answer. */
export interface Lifecycle {
  state: "starting" | "ready" | "draining";
  /** The port the server listens on; 0 before it listens. */
  port: number;
}

export const lifecycle = perServer((): Lifecycle => ({ state: "starting", port: 0 }));

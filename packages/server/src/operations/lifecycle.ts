import { perServer } from "../context.ts";

/** Where the server is in its life; readiness answers by it. */
export interface Lifecycle {
  state: "starting" | "ready" | "draining";
}

export const lifecycle = perServer((): Lifecycle => ({ state: "starting" }));

import { perServer } from "../context.ts";

/** Where the server is in its life; readiness answers by it. One that drains closes each connection with the next answer. */
export interface Lifecycle {
  state: "starting" | "ready" | "draining";
}

export const lifecycle = perServer((): Lifecycle => ({ state: "starting" }));

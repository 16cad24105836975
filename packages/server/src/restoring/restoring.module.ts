import type { Module } from "../module.ts";
import { checkRestoring } from "./doctor.ts";

/** Restoring the database to any time. The checks of each night begin with the command `serve`, which can run others. */
export const restoring: Module = {
  name: "restoring",
  doctor: [checkRestoring],
  guide: [
    {
      name: "point-in-time",
      part: "more",
      about: "a replica of the database, and restoring it to any time",
      text: () => import("../../../../docs/guide/point-in-time.md", { with: { type: "text" } }),
    },
  ],
};

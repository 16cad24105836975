import type { Module } from "../module.ts";
import { clientProgramRoutes } from "./client-programs.routes.ts";

export const clientPrograms: Module = { name: "client programs", routes: clientProgramRoutes };

import type { Module } from "../module.ts";
import { recordsOf } from "../user-export.ts";
import { eraseFiles } from "./erase.ts";
import { fileRoutes } from "./files.routes.ts";
import { ownFiles } from "./files.service.ts";
import { startRescans } from "./scanning.ts";
import { startUploadSweep } from "./storage/sweep-incoming.ts";
import { startFileSweep } from "./sweep.ts";

export const files: Module = {
  name: "files",
  routes: fileRoutes,
  erase: { files: eraseFiles },
  exports: { files: recordsOf((ctx, { userId }) => ownFiles(ctx, userId)) },
  async start(ctx) {
    await startUploadSweep(ctx);
    startFileSweep(ctx);
    startRescans(ctx);
  },
};

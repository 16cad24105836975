import type { Module } from "../module.ts";
import { recordsOf } from "../user-export.ts";
import { checkFiles } from "./doctor.ts";
import { fileRoutes } from "./files.routes.ts";
import { ownFiles } from "./files.service.ts";
import { eraseFiles } from "./removal.ts";
import { startRescans } from "./scanning.ts";
import { startUploadSweep } from "./storage/sweep-incoming.ts";
import { startFileSweep } from "./sweep.ts";

export const files: Module = {
  name: "files",
  routes: fileRoutes,
  tags: { Files: "Files that are sent with messages." },
  erase: { files: eraseFiles },
  exports: { files: recordsOf((ctx, { userId }) => ownFiles(ctx, userId)) },
  doctor: [checkFiles],
  guide: [
    {
      name: "files",
      part: "more",
      about: "files with messages: pictures, texts, anything; limits",
      text: () => import("../../../../docs/guide/files.md", { with: { type: "text" } }),
    },
  ],
  async start(ctx) {
    await startUploadSweep(ctx);
    startFileSweep(ctx);
    startRescans(ctx);
  },
};

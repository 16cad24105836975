import type { Module } from "../module.ts";
import { transcriptRoutes } from "./transcripts.routes.ts";
import { voiceTools } from "./voice-tools.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"transcript_remove", true> {} // by somebody who moderates by their level
}

export const voiceNotes: Module = {
  name: "voice notes",
  routes: transcriptRoutes,
  tools: voiceTools,
  guide: [
    {
      name: "voice-notes",
      part: "more",
      about: "voice notes, their waveforms and transcripts",
      text: () => import("../../../../docs/guide/voice-notes.md", { with: { type: "text" } }),
    },
  ],
};

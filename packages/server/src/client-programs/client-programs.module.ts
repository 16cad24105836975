import type { Module } from "../module.ts";
import { clientProgramRoutes } from "./client-programs.routes.ts";

export const clientPrograms: Module = {
  name: "client programs",
  routes: clientProgramRoutes,
  guide: [
    {
      name: "coding-agents",
      part: "agents",
      about: "Claude Code, Codex, Gemini CLI and others in a thread, by one line; people approve what they run",
      text: () => import("../../../../docs/guide/coding-agents.md", { with: { type: "text" } }),
    },
    {
      name: "claude-code-channel",
      part: "agents",
      about: "a session of Claude Code that listens, with its permissions in the chat",
      text: () => import("../../../../docs/guide/claude-code-channel.md", { with: { type: "text" } }),
    },
  ],
};

import type { Module } from "../module.ts";
import { documentRoutes } from "./documents.routes.ts";

export const documents: Module = {
  name: "documents",
  routes: documentRoutes,
  tags: {
    Live: "The WebSocket.",
    Documents: "This API, described for people and for programs.",
    "Documents for agents": "Texts by which agents and their authors find their way.",
  },
  guide: [
    {
      name: "errors",
      source: "docs/reference/errors.md",
      part: "reference",
      about: "every error code, its status, and whether to retry",
      text: () => import("../../../../docs/reference/errors.md", { with: { type: "text" } }),
    },
    {
      name: "rates",
      source: "docs/reference/rates.md",
      part: "reference",
      about: "every rate limit",
      text: () => import("../../../../docs/reference/rates.md", { with: { type: "text" } }),
    },
    {
      name: "protocol",
      source: "docs/reference/protocol.md",
      part: "reference",
      about: "every route, field, right and rule",
      text: () => import("../../../../docs/reference/protocol.md", { with: { type: "text" } }),
    },
    {
      name: "guarantees",
      source: "docs/reference/guarantees.md",
      part: "reference",
      about: "what holds when connections and servers fail",
      text: () => import("../../../../docs/reference/guarantees.md", { with: { type: "text" } }),
    },
  ],
};

import type { Module } from "../module.ts";
import { eraseActor, eraseAuditDetails } from "./erase.ts";

export const auditLog: Module = {
  name: "audit log",
  erase: { actor: eraseActor, audit: eraseAuditDetails },
};

import { expect, test } from "bun:test";
import type { AuditAction } from "../../../server/src/audit/audit.ts";
import type { MODULES } from "../../../server/src/modules.ts";
import { EN_ADMIN } from "../../src/i18n/en/windows/admin.ts";

/** The modules declare their acts; the type check fails for an act without words. */
export type Declared = typeof MODULES;
const WORDS: Readonly<Record<AuditAction, string>> = EN_ADMIN.actions;

test("every act of the audit log has words, and none shows its name", () => {
  const unclear = Object.entries(WORDS).filter(([action, text]) => text.trim() === "" || text.includes(action));
  expect(unclear).toEqual([]);
});

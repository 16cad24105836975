import { type ClaimLink, makeClaimLinks } from "../../accounts/claimable/claimable.ts";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { noImport } from "../import-record.ts";
import { findImport } from "../imports.store.ts";
import { ImportRefused } from "../one-at-a-time.ts";

const DAY_MS = 86_400_000;

/** The links of an import that are being made. */
export interface ImportLinks {
  /** Epoch milliseconds. */
  expiresAt: number;
  batches: AsyncGenerator<ClaimLink[]>;
}

/**
 * Begins to make links for the people of an import who have not claimed their accounts, for the command line (protocol
 * §14.5). Earlier links of the same people end. Throws `ImportRefused` if the import has no links.
 */
export async function makeImportLinks(
  ctx: AppContext,
  importId: number,
  { days, origin }: { days: number; origin: string },
): Promise<ImportLinks> {
  const found = await findImport(ctx.db, importId);
  if (found === null) throw new ImportRefused(noImport(importId));
  if (found.status !== "done")
    throw new ImportRefused(`Import ${importId} is not open, so nobody can claim an account yet.`);
  const expiresAt = ctx.clock.now() + days * DAY_MS;
  // Before the first link exists: none is made without its entry.
  await transact(ctx, (ctx) =>
    audit(ctx, COMMAND_LINE, "import_links", `import:${importId}`, { expires_at: isoTime(expiresAt) }),
  );
  return { expiresAt, batches: makeClaimLinks(ctx, importId, { origin, expiresAt }) };
}

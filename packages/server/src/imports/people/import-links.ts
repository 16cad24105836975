import { type ClaimLink, makeClaimLinks } from "../../accounts/claimable/claimable.ts";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { statusOf } from "./people.store.ts";

const DAY_MS = 86_400_000;

/** The links of an import that are being made. */
export interface ImportLinks {
  /** Epoch milliseconds. */
  expiresAt: number;
  batches: AsyncGenerator<ClaimLink[]>;
}

/**
 * Begins to make links for the people of an import who have not claimed their accounts, for the command line (protocol
 * §14.5). Earlier links of the same people end. Returns the reason if the import has no links.
 */
export async function makeImportLinks(
  ctx: AppContext,
  importId: number,
  { days, origin }: { days: number; origin: string },
): Promise<ImportLinks | "unknown" | "not open"> {
  const status = await statusOf(ctx.db, importId);
  if (status === undefined) return "unknown";
  if (status !== "done") return "not open";
  const expiresAt = ctx.clock.now() + days * DAY_MS;
  // Before the first link exists: none is made without its entry.
  await transact(ctx, (ctx) =>
    audit(ctx, COMMAND_LINE, "import_links", `import:${importId}`, { expires_at: isoTime(expiresAt) }),
  );
  return { expiresAt, batches: makeClaimLinks(ctx, importId, { origin, expiresAt }) };
}

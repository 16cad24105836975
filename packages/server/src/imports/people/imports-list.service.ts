import { IMPORTS_SHOWN_MAX } from "@parley/protocol/import-limits";
import type { ImportRecord, ImportsQuery, UnclaimedPerson } from "@parley/protocol/imports";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { type OffsetPage, pageByOffset } from "../../http/pages.ts";
import { recordOf } from "../import-record.ts";
import { newestImports } from "../imports.store.ts";
import * as store from "./people.store.ts";

const NOBODY = { claimed: 0, unclaimed: 0 };

/** Returns the imports, and a page of the people who have not claimed their accounts. The caller checks the level. */
export async function importsPage(
  ctx: AppContext,
  query: ImportsQuery,
): Promise<OffsetPage & { imports: ImportRecord[]; unclaimed: UnclaimedPerson[] }> {
  const now = ctx.clock.now();
  const rows = await newestImports(ctx.db, IMPORTS_SHOWN_MAX);
  const people = await store.countPeople(
    ctx.db,
    rows.map(({ id }) => id),
  );
  const imports: ImportRecord[] = [];
  for (const row of rows) imports.push({ ...(await recordOf(ctx, row)), ...(people.get(row.id) ?? NOBODY) });
  const find = (page: { limit: number; offset: number }) => store.listUnclaimed(ctx.db, query.import_id, page);
  const { shown, ...page } = await pageByOffset(query, find);
  return { imports, unclaimed: shown.map((row) => personRecord(row, now)), ...page };
}

function personRecord(row: store.UnclaimedRow, now: number): UnclaimedPerson {
  const link = row.link_expires_at;
  return {
    import_id: row.import_id,
    username: row.username,
    display_name: row.display_name,
    email: row.email,
    suspended: (row.suspended_until ?? 0) > now,
    link_expires_at: link !== null && link > now ? isoTime(link) : null,
  };
}

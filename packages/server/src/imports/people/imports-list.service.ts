import { IMPORT_KINDS, IMPORTS_SHOWN_MAX } from "@parley/protocol/import-limits";
import type { ImportCounts, ImportRecord, ImportsQuery, UnclaimedPerson } from "@parley/protocol/imports";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { type OffsetPage, pageByOffset } from "../../http/pages.ts";
import * as store from "./people.store.ts";

/** Returns the imports, and a page of the people who have not claimed their accounts. The caller checks the level. */
export async function importsPage(
  ctx: AppContext,
  query: ImportsQuery,
): Promise<OffsetPage & { imports: ImportRecord[]; unclaimed: UnclaimedPerson[] }> {
  const now = ctx.clock.now();
  const rows = await store.listImports(ctx.db, IMPORTS_SHOWN_MAX);
  const people = await store.countPeople(
    ctx.db,
    rows.map(({ id }) => id),
  );
  const find = (page: { limit: number; offset: number }) => store.listUnclaimed(ctx.db, query.import_id, page);
  const { shown, ...page } = await pageByOffset(query, find);
  return {
    imports: rows.map((row) => importRecord(row, people.get(row.id))),
    unclaimed: shown.map((row) => personRecord(row, now)),
    ...page,
  };
}

function importRecord(row: store.ImportRow, { claimed, unclaimed } = { claimed: 0, unclaimed: 0 }): ImportRecord {
  return {
    import_id: row.id,
    format: row.source.split(":")[0] ?? "",
    workspace: row.workspace,
    status: row.status,
    written: row.place,
    counts: countsOf(row.counts),
    claimed,
    unclaimed,
    created_at: isoTime(row.created_at),
    opened_at: isoTimeOrNull(row.opened_at),
    undone_at: isoTimeOrNull(row.undone_at),
  };
}

const NOTHING = { taken: 0, known: 0, changed: 0, left_out: 0 };

/** Returns all counts; a run that has only begun has stored none. */
function countsOf(text: string): ImportCounts {
  const stored = JSON.parse(text) as Partial<ImportCounts>;
  return Object.fromEntries(IMPORT_KINDS.map((kind) => [kind, { ...NOTHING, ...stored[kind] }])) as ImportCounts;
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

import { showUsers } from "../../accounts/hidden/show-users.ts";
import { forgetName } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { showAgent } from "../../agents/hidden/hidden-agents.ts";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { showChannels } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { showEmoji } from "../../emoji/imported-emoji.ts";
import { passOver } from "../../event-log/history.ts";
import { readThreads } from "../../messages/threads/history.ts";
import { publishControl, recordControl } from "../../realtime/control/control.ts";
import { noImport } from "../import-record.ts";
import * as store from "../imports.store.ts";
import { agentsOf, directChannels, usedUsers } from "../made.store.ts";
import { ImportRefused, oneAtATime } from "../one-at-a-time.ts";
import { addLate } from "./add-late.ts";

/**
 * The consumers that must not take what is imported for new: they give points, notify people and fill inboxes. Only the
 * search reads it all. `consumers.test.ts` compares this with the consumers of a server.
 */
export const PASSED_OVER: readonly string[] = ["activity", "agent_activity", "notifications", "inbox_kinds"];

/** Channels at once: each is in the lists of a few statements. */
const AT_ONCE = 500;

/**
 * Shows everything that an import has written, in one transaction. Everybody has read all of it, and nobody is notified.
 * Opening it again changes nothing. Throws `ImportRefused` if it is not written to its end.
 */
export function openImport(ctx: AppContext, id: number): Promise<store.ImportRow> {
  return oneAtATime(ctx, () => transact(ctx, (ctx) => open(ctx, id)));
}

async function open(ctx: AppContext, id: number): Promise<store.ImportRow> {
  const row = await store.findImport(ctx.db, id);
  if (row === null) throw new ImportRefused(noImport(id));
  if (row.status === "done") return row;
  const opened_at = ctx.clock.now();
  if (!(await store.moveImport(ctx.db, { id, status: "closed" }, { status: "done", opened_at })))
    throw new ImportRefused(
      row.status === "writing"
        ? `Import ${id} is not written to its end. Run it again with the same file.`
        : `Import ${id} was undone.`,
    );
  await showPeople(ctx, id);
  await showEmoji(ctx.db, id);
  await addLate(ctx, row, PASSED_OVER);
  const channels = await store.madeBy(ctx.db, id, "channel");
  await showChannels(ctx, channels, new Set(await directChannels(ctx.db, id)));
  const block = await store.blockOf(ctx.db, id);
  for (let from = 0; from < channels.length; from += AT_ONCE) {
    const some = channels.slice(from, from + AT_ONCE);
    if (block !== null)
      await readThreads(ctx.db, { channelIds: some, firstId: block.first_id, lastId: block.last_id }).execute();
    await passOver(ctx.db, PASSED_OVER, some);
  }
  publishControl(ctx, "import_opened", id);
  if (ctx.cluster === null) await recordControl(ctx.db, ctx.clock, "import_opened", id);
  await audit(ctx, COMMAND_LINE, "import_open", `import:${id}`, { workspace: row.workspace });
  return { ...row, status: "done", opened_at };
}

async function showPeople(ctx: AppContext, id: number): Promise<void> {
  const used = new Set(await usedUsers(ctx.db, id));
  const users = (await store.madeBy(ctx.db, id, "user")).filter((user) => !used.has(user));
  await showUsers(ctx.db, users, ctx.clock.now());
  const agents = await agentsOf(ctx.db, id);
  for (const agent of agents) await showAgent(ctx.db, agent);
  ctx.afterCommit(() => {
    for (const { name } of agents) forgetName(ctx, nameKey(name));
  });
}

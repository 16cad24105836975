import { deleteUsers, hideUsers } from "../../accounts/hidden/show-users.ts";
import { publishRetiredName } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { deleteHiddenAgents, hideAgent } from "../../agents/hidden/hidden-agents.ts";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { counted } from "../../base/counted.ts";
import { deleteHidden, hideChannels } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { deleteImportedEmoji } from "../../emoji/imported-emoji.ts";
import { deleteHistory, forgetCursors, keepNewestId } from "../../event-log/history.ts";
import { removeUnsent } from "../../files/removal.ts";
import { removeMessages } from "../../messages/removal.ts";
import { publishControl, recordControl } from "../../realtime/control/control.ts";
import { noImport } from "../import-record.ts";
import * as store from "../imports.store.ts";
import { agentsOf, usedUsers } from "../made.store.ts";
import { deleteItems, itemsAfter } from "../map.store.ts";
import { ImportRefused, oneAtATime } from "../one-at-a-time.ts";
import { importsInTheWay, inTheWay, type Made } from "./in-the-way.ts";
import { countDoneSince, takeOut } from "./take-out.ts";
import { messagesIn } from "./undo.store.ts";

/** Messages that one transaction removes. */
const MESSAGES = 300;
const ITEMS = 1_000;
/** People and channels that one transaction removes. */
const AT_ONCE = 500;

/**
 * Removes everything that an import has made, as if it had not been, while nobody has used it. The first step hides it;
 * the others may be repeated after a kill. `progress` is called after each. Throws `ImportRefused` with what is in the way.
 */
export function undoImport(ctx: AppContext, id: number, progress: () => void = () => {}): Promise<store.ImportRow> {
  return oneAtATime(ctx, async () => {
    const row = await hide(ctx, id);
    if (row.status === "undone") return row;
    progress();
    await removeAllMessages(ctx, id, progress);
    await removeItems(ctx, row, "message", progress);
    await removeChannels(ctx, id, progress);
    // Before the people: what a killed process has stored for a message that it did not write is still theirs.
    await removeItems(ctx, row, "file", progress);
    await removePeople(ctx, id, progress);
    for (const kind of ["channel", "user", "agent"] as const) await removeItems(ctx, row, kind, progress);
    const undone_at = ctx.clock.now();
    await transact(ctx, (ctx) => store.moveImport(ctx.db, { id, status: "undoing" }, { status: "undone", undone_at }));
    return { ...row, status: "undone", undone_at };
  });
}

/** Hides the import, unless that is done already. */
async function hide(ctx: AppContext, id: number): Promise<store.ImportRow> {
  return transact(ctx, async (ctx) => {
    const row = await store.findImport(ctx.db, id);
    if (row === null) throw new ImportRefused(noImport(id));
    if (row.status === "undone") return row;
    const agents = await agentsOf(ctx.db, id);
    const made: Made = {
      channels: await store.madeBy(ctx.db, id, "channel"),
      users: await ownUsers(ctx, id),
      agents: agents.map((agent) => agent.id),
    };
    if (row.status === "undoing") {
      refuse(id, await importsInTheWay(ctx.db, row, made));
      return row;
    }
    await store.moveImport(ctx.db, { id, status: row.status }, { status: "undoing" });
    if (row.status === "done") {
      await hideChannels(ctx, made.channels);
      // Hidden before they are counted: somebody who claims an account at the same time comes first, or finds it gone.
      await hideUsers(ctx.db, made.users);
    }
    await deleteImportedEmoji(ctx, id);
    const since = row.status === "done" ? await countDoneSince(ctx, id) : 0;
    const later = since === 0 ? [] : [`${counted(since, "change")} came after the messages that it has added`];
    refuse(id, [...(await inTheWay(ctx.db, row, made)), ...later]);
    if (row.status === "done") {
      await takeOut(ctx, row, made.users);
      publishControl(ctx, "import_opened", id);
      if (ctx.cluster === null) await recordControl(ctx.db, ctx.clock, "import_opened", id);
      for (const agent of agents) {
        await hideAgent(ctx.db, agent.id);
        publishRetiredName(ctx, nameKey(agent.name));
      }
    }
    await audit(ctx, COMMAND_LINE, "import_undo", `import:${id}`, { workspace: row.workspace });
    return { ...row, status: "undoing" };
  });
}

/** Ends the transaction, and thereby takes back what was hidden, if something is in the way. */
function refuse(id: number, reasons: readonly string[]): void {
  if (reasons.length > 0) throw new ImportRefused(`Import ${id} cannot be undone: ${reasons.join("; ")}.`);
}

/** Returns the accounts that the import has made. */
async function ownUsers(ctx: AppContext, id: number): Promise<number[]> {
  const used = new Set(await usedUsers(ctx.db, id));
  return (await store.madeBy(ctx.db, id, "user")).filter((user) => !used.has(user));
}

/**
 * Removes the messages, the newest first. The id of the newest message of all must not be given again: an empty row keeps it
 * (protocol §14.4).
 */
async function removeAllMessages(ctx: AppContext, id: number, progress: () => void): Promise<void> {
  const block = await store.blockOf(ctx.db, id);
  if (block === null) return;
  for (let below = block.last_id + 1; ; ) {
    const last = await transact(ctx, async (ctx) => {
      const rows = await messagesIn(ctx.db, { ...block, last_id: below - 1 }, MESSAGES);
      const ids = rows.map((row) => row.id);
      await keepNewestId(ctx.db, block.last_id, ctx.clock.now(), async () => {
        for (const [channelId, own] of Map.groupBy(rows, ({ channel_id }) => channel_id))
          await removeMessages(
            ctx,
            channelId,
            own.map((row) => row.id),
          );
        await deleteHistory(ctx.db, ids);
      });
      return ids.at(-1);
    });
    progress();
    if (last === undefined) return;
    below = last;
  }
}

async function removeItems(
  ctx: AppContext,
  { id, source }: store.ImportRow,
  kind: "message" | "channel" | "user" | "agent" | "file",
  progress: () => void,
): Promise<void> {
  for (let after = ""; ; ) {
    const items = await itemsAfter(ctx.db, { source, kind, source_id: after }, { limit: ITEMS, importId: id });
    if (items.length === 0) return;
    const ids = items.map(({ source_id }) => source_id);
    await transact(ctx, async (ctx) => {
      // Stored, but their messages were not written.
      if (kind === "file")
        await removeUnsent(
          ctx,
          items.map(({ parley_id }) => parley_id),
        );
      await deleteItems(ctx.db, source, kind, ids);
    });
    after = ids.at(-1) ?? after;
    progress();
  }
}

async function removeChannels(ctx: AppContext, id: number, progress: () => void): Promise<void> {
  const all = await store.madeBy(ctx.db, id, "channel");
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE);
    await transact(ctx, async (ctx) => {
      await forgetCursors(ctx.db, some);
      await deleteHidden(ctx.db, some);
    });
    progress();
  }
}

async function removePeople(ctx: AppContext, id: number, progress: () => void): Promise<void> {
  const agents = await agentsOf(ctx.db, id);
  const users = await ownUsers(ctx, id);
  for (let from = 0; from < Math.max(agents.length, users.length); from += AT_ONCE) {
    await transact(ctx, async (ctx) => {
      await deleteUsers(ctx.db, users.slice(from, from + AT_ONCE));
      await deleteHiddenAgents(ctx.db, agents.slice(from, from + AT_ONCE));
    });
    progress();
  }
}

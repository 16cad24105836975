import type { AppContext } from "../../context.ts";
import { addCounts, type ImportCounts, noCounts } from "../counts.ts";
import { usedUsers } from "../made.store.ts";
import { idsOfItems } from "../map.store.ts";
import type { CountedStage, StagedLeftOut } from "../stage.ts";
import type { Written } from "../write/begin.ts";
import { knownChannels } from "../write/channels.store.ts";
import { namesOfAgents, namesOfUsers } from "../write/people.store.ts";
import { laterOf } from "./later.ts";
import { dryRunReport, type ImportReport, type ReportOf } from "./report.ts";

/** Source ids of one statement. */
const AT_ONCE = 500;

/** Returns what an import has done, with the names and ids that people and channels have got. */
export async function finishedReport(
  ctx: AppContext,
  stage: CountedStage,
  written: Written,
  about: ReportOf,
): Promise<ImportReport> {
  const read = await dryRunReport(stage, about);
  const source = `${about.format}:${stage.workspace.id}`;
  const accounts = await inParts(read.users, (ids) => accountsOf(ctx, source, ids));
  const existing = new Set(await usedUsers(ctx.db, written.importId));
  const everybody = [...read.users, ...read.agents.map((agent) => ({ ...agent, source_name: agent.agent_name }))];
  const agents = await inParts(everybody, (ids) => namesOfAgents(ctx.db, source, ids));
  const bots = everybody.filter(({ source_id }) => agents.has(source_id));
  const people = read.users.filter(({ source_id }) => !agents.has(source_id));
  const channels = await inParts(read.channels, (ids) => knownChannels(ctx.db, source, ids));
  const absent = read.channels.filter(({ source_id }) => !channels.has(source_id));
  const late = [...channels.values()].some(({ importId }) => importId !== written.importId);
  return {
    ...read,
    import_id: written.importId,
    later: await laterOf(ctx, written.importId),
    status: written.status === "done" ? "done" : "closed",
    counts: withLeftOut(written.counts, read.counts),
    left_out: [
      ...read.left_out,
      ...written.leftOut,
      ...leftOutByWriting(written.counts, absent, late),
      ...filesLost(written.counts, read),
    ],
    users: people.map((user) => {
      const account = accounts.get(user.source_id);
      const state = account !== undefined && existing.has(account.id) ? "existing" : user.state;
      return { ...user, username: account?.name ?? null, state };
    }),
    agents: bots.map(({ source_id, source_name }) => ({
      source_id,
      agent_name: agents.get(source_id) ?? source_name,
    })),
    channels: read.channels.map((channel) => {
      const made = channels.get(channel.source_id);
      return { ...channel, channel_id: made?.id ?? null, channel_slug: made?.slug ?? null };
    }),
  };
}

async function accountsOf(ctx: AppContext, source: string, sourceIds: readonly string[]) {
  const ids = await idsOfItems(ctx.db, source, "user", sourceIds);
  const names = await namesOfUsers(ctx.db, [...ids.values()]);
  return new Map([...ids].map(([sourceId, id]) => [sourceId, { id, name: names.get(id) ?? null }]));
}

async function inParts<T>(
  things: readonly { source_id: string }[],
  find: (ids: readonly string[]) => Promise<Map<string, T>>,
): Promise<Map<string, T>> {
  const all = new Map<string, T>();
  for (let from = 0; from < things.length; from += AT_ONCE) {
    const some = things.slice(from, from + AT_ONCE).map(({ source_id }) => source_id);
    for (const [id, found] of await find(some)) all.set(id, found);
  }
  return all;
}

/** Returns the counts of what was written, with what the reading had left out already. Files are counted by the writing. */
function withLeftOut(written: ImportCounts, read: ImportReport["counts"]): ImportCounts {
  const before = noCounts();
  for (const [name, { left_out }] of Object.entries(read))
    if (name !== "files") before[name as keyof ImportCounts].left_out = left_out;
  return addCounts(written, before);
}

/** Names the files that the reading had promised, and that could not be taken. */
function filesLost({ files }: ImportCounts, { left_out }: ImportReport): StagedLeftOut[] {
  const known = left_out.filter(({ kind }) => kind === "file").reduce((sum, { count }) => sum + count, 0);
  const count = files.left_out - known;
  return count > 0 ? [{ kind: "file", reason: "not_taken", count, examples: [] }] : [];
}

/**
 * Names what the writing has left out. `absent`: channels that have no counterpart in Parley. `late`: some channels are
 * those of an earlier import, which get no more messages.
 */
function leftOutByWriting(counts: ImportCounts, absent: ImportReport["channels"], late: boolean): StagedLeftOut[] {
  const alone = absent.reduce((sum, { messages }) => sum + messages, 0);
  const reasons = [
    { kind: "direct", reason: "nobody_else", count: absent.length },
    { kind: "message", reason: "nobody_else", count: alone },
    { kind: "message", reason: late ? "channel_known" : "empty", count: counts.messages.left_out - alone },
    { kind: "reaction", reason: "too_many", count: counts.reactions.left_out },
    { kind: "pin", reason: "too_many", count: counts.pins.left_out },
  ] as const;
  return reasons.filter(({ count }) => count > 0).map((reason) => ({ ...reason, examples: [] }));
}

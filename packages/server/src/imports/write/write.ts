import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { pause } from "../../base/timers.ts";
import type { AppContext } from "../../context.ts";
import { takeMessageIds } from "../../db/id-block.ts";
import { transact } from "../../db/transact.ts";
import { deleteIdKeeper, insertHistory, insertIdKeeper } from "../../event-log/history.ts";
import { addReplies, followThreads } from "../../messages/threads/history.ts";
import { insertReactions } from "../../reactions/history.ts";
import { addCounts, countsOf, type ImportCounts, noCounts } from "../counts.ts";
import * as store from "../imports.store.ts";
import { idsOfItems, insertItems, saltOf } from "../map.store.ts";
import { ImportRefused, oneAtATime } from "../one-at-a-time.ts";
import type { SourceChannel, SourceFormat } from "../source.ts";
import type { Stage, StagedMessage } from "../stage.ts";
import { BatchMaker, type Making, type StoredFiles } from "./batch-maker.ts";
import { takeChannels } from "./channels.ts";
import type { Directory } from "./directory.ts";
import { isShort, textParts } from "./message-text.ts";
import { namesOf } from "./names-of.ts";
import { type PeopleOptions, type PersonChoice, takePeople, unknownPerson } from "./people.ts";
import { Plan } from "./plan.ts";

export interface WriteOptions {
  format: SourceFormat;
  /** Of the export (`OpenSource.fingerprint`). */
  fingerprint: string;
  /** What to do with people, by their ids in the source. */
  people?: ReadonlyMap<string, PersonChoice>;
  /** Returns the slug that a channel gets, undefined for that of its name; null if the channel is not taken. */
  slugOf?(channel: SourceChannel): string | undefined | null;
  /** The account that owns public channels whose creator is unknown. */
  ownerId?: number | null;
  /** Stores the files of messages before these are written; absent: files are not taken. */
  files?(ctx: AppContext, messages: readonly StagedMessage[]): Promise<StoredFiles>;
  /** A server runs beside this process, and must get its turns to write. */
  rests?: boolean;
  /** Called after each transaction. */
  progress?(written: number): void;
}

export interface Written {
  importId: number;
  status: store.ImportRow["status"];
  counts: ImportCounts;
}

/** Messages that are read of the stage at once. */
const PAGE = 400;

/**
 * Writes what a stage has, so that nobody sees it yet (protocol §14.1). It goes on where a process that was killed has
 * stopped, and takes nothing again. Throws `ImportRefused` while another import is written or not finished.
 */
export function writeImport(ctx: AppContext, stage: Stage, options: WriteOptions): Promise<Written> {
  return oneAtATime(ctx, async () => {
    const run = await beginOrGoOn(ctx, stage, options);
    if (run.status !== "writing") return repeated(run);
    return new Writer(ctx, stage, options, run).write();
  });
}

/** Everything of the export was taken before. */
function repeated({ id, status, counts: column }: store.ImportRow): Written {
  const counts = noCounts();
  for (const [name, { taken, known }] of Object.entries(countsOf(column)))
    counts[name as keyof ImportCounts].known = taken + known;
  return { importId: id, status, counts };
}

async function beginOrGoOn(ctx: AppContext, stage: Stage, options: WriteOptions): Promise<store.ImportRow> {
  const source = `${options.format}:${stage.workspace.id}`;
  return transact(ctx, async (ctx) => {
    const all = (await store.listImports(ctx.db)).filter(({ status }) => status !== "undone");
    const same = all.find((row) => row.source === source && row.fingerprint === options.fingerprint);
    const unfinished = all.find(({ status }) => status === "writing" || status === "undoing");
    if (unfinished !== undefined && unfinished !== same)
      throw new ImportRefused(
        `Import ${unfinished.id} (${unfinished.workspace}) is not finished. Run it again with the same file, or undo it with \`parley import undo ${unfinished.id}\`.`,
      );
    if (same?.status === "undoing")
      throw new ImportRefused(`Import ${same.id} is being undone. End that with \`parley import undo ${same.id}\`.`);
    if (same !== undefined) return same;
    const row = {
      status: "writing" as const,
      source,
      workspace: stage.workspace.name,
      fingerprint: options.fingerprint,
      salt: (await saltOf(ctx.db, source)) || Buffer.from(ctx.clock.random(16)).toString("hex"),
      place: 0,
      counts: JSON.stringify(noCounts()),
      created_at: ctx.clock.now(),
      opened_at: null,
      undone_at: null,
    };
    return { ...row, id: await store.insertImport(ctx.db, row) };
  });
}

/** Writes one import. */
class Writer {
  readonly #ctx: AppContext;
  readonly #stage: Stage;
  readonly #options: WriteOptions;
  readonly #run: store.ImportRow;
  #counts: ImportCounts;
  #place: number;

  constructor(ctx: AppContext, stage: Stage, options: WriteOptions, run: store.ImportRow) {
    this.#ctx = ctx;
    this.#stage = stage;
    this.#options = options;
    this.#run = run;
    this.#counts = countsOf(run.counts);
    this.#place = run.place;
  }

  async write(): Promise<Written> {
    const { id } = this.#run;
    const making = await this.#prepare();
    for (let page = this.#page(); page.length > 0; page = this.#page()) await this.#writePage(making, page);
    await transact(this.#ctx, async (ctx) => {
      await this.#move(ctx, this.#counts, this.#place, "closed");
      await audit(ctx, COMMAND_LINE, "import_run", `import:${id}`, {
        source: this.#run.source,
        workspace: this.#run.workspace,
      });
    });
    return { importId: id, status: "closed", counts: this.#counts };
  }

  #page = (): readonly StagedMessage[] => this.#stage.messagesAfter(this.#place, PAGE);

  /** Makes people and channels, and decides which id each message gets. */
  async #prepare(): Promise<Making> {
    const [ctx, stage, options] = [this.#ctx, this.#stage, this.#options];
    const { id: importId, source, salt } = this.#run;
    const users = new Map(stage.users().map((user) => [user.id, user]));
    const choices: PeopleOptions = { importId, source, salt, choices: options.people ?? new Map() };
    const count = (ctx: AppContext, counts: ImportCounts) => this.#count(ctx, counts);
    const people = await takePeople(ctx, [...users.values()], choices, count);
    const channels = await takeChannels(
      ctx,
      stage.channels(),
      { people, users },
      { importId, source, slugOf: options.slugOf ?? (() => undefined), ownerId: options.ownerId ?? null },
      count,
    );
    const directory: Directory = { people, channels };
    const unknown = new Set<string>();
    const plan = await Plan.make(stage, directory, (message) => {
      if (!people.has(message.senderId ?? "")) unknown.add(message.senderId ?? "");
      return this.#parts(message, directory);
    });
    // Made only now: the plan must be the same when it is made again, after they are there.
    const strangers = await takePeople(ctx, [...unknown].map(unknownPerson), choices, count);
    for (const [id, person] of strangers) people.set(id, person);
    const firstId = await this.#takeIds(plan.size);
    const names = namesOf(ctx, directory, (messageId) => {
      const place = plan.roots.placeOf(messageId);
      return place === null ? null : firstId + plan.offsetOf(place);
    });
    return { importId, source, stage, plan, directory, names, firstId };
  }

  /** Returns into how many messages one is split. Nearly none has to be printed to know that. */
  #parts(message: StagedMessage, directory: Directory): number {
    if (message.isTombstone) return 1;
    const files = this.#options.files === undefined ? [] : message.files.filter(({ path }) => path !== null);
    const lost = message.files.filter((file) => !files.includes(file));
    const texts = isShort(message)
      ? 1
      : textParts(
          message,
          namesOf(this.#ctx, directory, () => 0),
          lost,
        ).length;
    return Math.max(texts, Math.ceil(files.length / 10), 1);
  }

  async #takeIds(size: number): Promise<number> {
    if (size === 0) return 1;
    const { id } = this.#run;
    return transact(this.#ctx, async (ctx) => {
      const block = await store.blockOf(ctx.db, id);
      if (block !== null && block.last_id - block.first_id + 1 !== size)
        throw new Error(`Import ${id} has ${block.last_id - block.first_id + 1} ids, but needs ${size}.`);
      if (block !== null) return block.first_id;
      const { first, needsKeeper } = await takeMessageIds(ctx.db, size);
      const last_id = first + size - 1;
      if (needsKeeper) await insertIdKeeper(ctx.db, last_id, ctx.clock.now());
      await store.insertBlock(ctx.db, id, { first_id: first, last_id });
      return first;
    });
  }

  async #writePage(making: Making, page: readonly StagedMessage[]): Promise<void> {
    const ctx = this.#ctx;
    const started = ctx.clock.monotonic();
    const files = (await this.#options.files?.(ctx, page)) ?? new Map();
    const ids = page.flatMap(({ id, threadId, replyToId }) => [
      id,
      ...(threadId === null ? [] : [threadId]),
      ...(replyToId === null ? [] : [replyToId]),
    ]);
    const known = await this.#knownIds(making, page, ids);
    const maker = new BatchMaker(making, this.#place, known, files);
    for (const message of page) {
      maker.add(message);
      if (maker.isFull) break;
    }
    const { batch, place } = maker;
    const counts = addCounts(this.#counts, batch.counts);
    await transact(ctx, async (ctx) => {
      await this.#move(ctx, counts, place, "writing");
      const last = making.firstId + making.plan.size - 1;
      if (batch.messages.some(({ id }) => id === last)) await deleteIdKeeper(ctx.db, last);
      await insertHistory(ctx.db, batch.messages);
      await insertItems(ctx.db, batch.items);
      await insertReactions(ctx.db, batch.reactions);
      await addReplies(ctx.db, batch.replies);
      await followThreads(ctx.db, batch.followers);
    });
    this.#counts = counts;
    this.#place = place;
    for (const [id, seq] of batch.seqs) {
      const channel = making.directory.channels.get(id);
      if (channel !== undefined) channel.seq = seq;
    }
    this.#options.progress?.(place);
    if (this.#options.rests === true) await pause(ctx.clock.monotonic() - started);
    else await new Promise(setImmediate);
  }

  /** Returns those that an earlier import has taken. */
  async #knownIds({ source }: Making, page: readonly StagedMessage[], ids: readonly string[]) {
    const found = await idsOfItems(this.#ctx.db, source, "message", [...new Set(ids)]);
    const own = await store.blockOf(this.#ctx.db, this.#run.id);
    // What this import wrote itself is at its place; only messages of the page itself must not be written twice.
    const inPage = new Set(page.map(({ id }) => id));
    for (const [id, parleyId] of found)
      if (own !== null && parleyId >= own.first_id && parleyId <= own.last_id && !inPage.has(id)) found.delete(id);
    return found;
  }

  async #count(ctx: AppContext, counts: ImportCounts): Promise<void> {
    const sum = addCounts(this.#counts, counts);
    await this.#move(ctx, sum, this.#place, "writing");
    ctx.afterCommit(() => {
      this.#counts = sum;
    });
  }

  /** Notes how far the import is. Throws if another process has moved it. */
  async #move(ctx: AppContext, counts: ImportCounts, place: number, status: "writing" | "closed"): Promise<void> {
    const { id } = this.#run;
    const to = { place, counts: JSON.stringify(counts), status };
    if (!(await store.moveImport(ctx.db, { id, status: "writing", place: this.#place }, to)))
      throw new ImportRefused(`Another process has written import ${id} meanwhile.`);
  }
}

import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import { pause } from "../../base/timers.ts";
import type { AppContext } from "../../context.ts";
import { takeMessageIds, transactWithIds } from "../../db/id-block.ts";
import { transact } from "../../db/transact.ts";
import { deleteIdKeeper, insertHistory, insertIdKeeper } from "../../event-log/history.ts";
import { giveToMessage } from "../../files/imported/imported-file.ts";
import { addReplies, followThreads } from "../../messages/threads/history.ts";
import { insertReactions } from "../../reactions/history.ts";
import { addCounts, countsOf, type ImportCounts } from "../counts.ts";
import { type FileRoads, roadOf, type StoredFiles, takeFiles, takeWholeText } from "../files/take-files.ts";
import * as store from "../imports.store.ts";
import { findLatePlaces, type LateOptions, makeLatePlaces } from "../late/late-places.ts";
import { idsOfItems, insertItems } from "../map.store.ts";
import { ImportRefused, oneAtATime } from "../one-at-a-time.ts";
import { AVATAR_REASON, takeAvatars } from "../pictures/take-avatars.ts";
import { takeEmoji } from "../pictures/take-emoji.ts";
import type { Stage, StagedLeftOut, StagedMessage } from "../stage.ts";
import { BatchMaker, type Making } from "./batch-maker.ts";
import { beginOrGoOn, repeated, type WriteOptions, type Written } from "./begin.ts";
import { takeChannels } from "./channels.ts";
import { type Directory, placeOf } from "./directory.ts";
import { FILES_MAX } from "./joined-parts.ts";
import { isShort, textParts, wholeText } from "./message-text.ts";
import { namesOf } from "./names-of.ts";
import { freshIn, withMoved } from "./page.ts";
import { PARTS_MAX } from "./parts.ts";
import { type PeopleOptions, takePeople, unknownPerson } from "./people.ts";
import { Plan } from "./plan.ts";

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
    const leftOut = await this.#takePictures(making.directory);
    for (let page = this.#page(); page.length > 0; page = this.#page()) await this.#writePage(making, page);
    await transact(this.#ctx, async (ctx) => {
      await this.#move(ctx, this.#counts, this.#place, "closed");
      await audit(ctx, COMMAND_LINE, "import_run", `import:${id}`, {
        source: this.#run.source,
        workspace: this.#run.workspace,
        ...this.#options.audited,
      });
    });
    return { importId: id, status: "closed", counts: this.#counts, leftOut, isRepeated: false };
  }

  get #lateOptions(): LateOptions {
    const { id: importId, source } = this.#run;
    return {
      importId,
      source,
      mode: this.#options.late ?? "channel",
      count: (ctx, counts) => this.#count(ctx, counts),
    };
  }

  /** Where the bytes of files come from. */
  get #roads(): FileRoads {
    return { open: this.#options.openFile ?? null, link: this.#options.fetchFile ?? null };
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
      { people, users, of: (id) => stage.membersOf(id) },
      { importId, source, slugOf: options.slugOf ?? (() => undefined), ownerId: options.ownerId ?? null },
      count,
    );
    const directory: Directory = { people, channels, late: new Map() };
    await findLatePlaces(ctx, directory, this.#lateOptions);
    const unknown = new Set<string>();
    const plan = await Plan.make(stage, directory, (message) => {
      if (!message.isTombstone && !people.has(message.senderId ?? "")) unknown.add(message.senderId ?? "");
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

  /** Takes the pictures of people, and emoji. A run that goes on takes those that are missing. */
  async #takePictures({ people }: Directory): Promise<readonly StagedLeftOut[]> {
    const { pictures, pictureProgress: progress = () => {} } = this.#options;
    if (pictures === undefined) return [];
    const [ctx, id] = [this.#ctx, this.#run.id];
    const avatars = await takeAvatars(ctx, id, this.#stage.users(), { people, open: pictures.file, progress });
    const emoji = await takeEmoji(ctx, id, pictures);
    if (avatars.length === 0) return emoji;
    return [...emoji, { kind: "user", reason: AVATAR_REASON, count: avatars.length, examples: avatars.slice(0, 5) }];
  }

  /** Returns into how many messages one is split. Nearly none has to be printed to know that. */
  #parts(message: StagedMessage, directory: Directory): number {
    if (message.isTombstone) return 1;
    const files = message.files.filter((file) => roadOf(this.#roads, file) !== null);
    const lost = message.files.filter((file) => !files.includes(file));
    const texts = isShort(message)
      ? 1
      : textParts(
          message,
          namesOf(this.#ctx, directory, () => 0),
          lost,
        ).length;
    if (texts > PARTS_MAX) return Math.ceil((files.length + 1) / FILES_MAX);
    return Math.max(texts, Math.ceil(files.length / FILES_MAX), 1);
  }

  async #takeIds(size: number): Promise<number> {
    if (size === 0) return 1;
    const { id } = this.#run;
    return transactWithIds(this.#ctx, async (ctx) => {
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
    const whole = withMoved(making, page);
    const known = await this.#knownIds(making, whole);
    await makeLatePlaces(ctx, making.directory, freshIn(whole, known), this.#lateOptions);
    const files = await this.#takeFiles(making, known, whole);
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
      for (const { ids, ...place } of batch.files) await giveToMessage(ctx, ids, place);
    });
    this.#counts = counts;
    this.#place = place;
    for (const [channel, seq] of batch.seqs) channel.seq = seq;
    this.#options.progress?.(place);
    if (this.#options.rests === true) await pause(ctx.clock.monotonic() - started);
    else await new Promise(setImmediate);
  }

  /** Stores the files of messages, and texts that are too long for them. */
  async #takeFiles(
    making: Making,
    known: ReadonlyMap<string, number>,
    page: readonly StagedMessage[],
  ): Promise<StoredFiles> {
    // Messages that an earlier import has taken are not written, so their files must not be stored again.
    const fresh = page.filter(
      ({ id, channelId, at }) => !known.has(id) && placeOf(making.directory, channelId, at) !== null,
    );
    const options = { ...making, roads: this.#roads };
    const all = await takeFiles(this.#ctx, fresh, options);
    for (const message of fresh) {
      if (message.isTombstone || isShort(message)) continue;
      const { records, lost } = all.get(message.id) ?? { records: [], lost: message.files };
      if (textParts(message, making.names, lost).length <= PARTS_MAX) continue;
      const { content } = wholeText(message, making.names, lost);
      const whole = await takeWholeText(this.#ctx, message, content, options);
      if (whole !== null) all.set(message.id, { records: [whole, ...records], lost, hasWholeText: true });
    }
    return all;
  }

  /** Returns those that an earlier import has taken, of messages and of what they reply to. */
  async #knownIds({ source, plan }: Making, page: readonly StagedMessage[]) {
    const absent = page.flatMap(({ place }) => plan.at(place)?.roots ?? []);
    const ids = page.flatMap((message) =>
      [message.id, plan.roots.of(message)?.id, message.threadId, message.replyToId].flatMap((id) => id ?? []),
    );
    ids.push(...absent.map(({ id }) => id));
    const found = await idsOfItems(this.#ctx.db, source, "message", [...new Set(ids)]);
    const own = await store.blockOf(this.#ctx.db, this.#run.id);
    // Messages that this import wrote itself have their places; only those of the page must not be written twice.
    const inPage = new Set([...page, ...absent].map(({ id }) => id));
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

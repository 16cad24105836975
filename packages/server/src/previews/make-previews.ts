import { PREVIEWS_PER_MINUTE, PREVIEWS_PER_SENDER } from "@parley/protocol/previews";
import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { inCommitOrder } from "../db/dialect.ts";
import { transact } from "../db/transact.ts";
import { forgivePreviews, linksToShow } from "../messages/link-previews.ts";
import { fetchPage } from "./fetch-page.ts";
import { keepPagePicture } from "./pictures.ts";
import * as store from "./previews.store.ts";
import { hashOf, PAGE_MS, showPreviews } from "./show-previews.ts";

const PASS_MS = 1_000;
const MINUTE_MS = 60_000;
/** Messages that one pass looks at, and those of one sender that may wait; the others get no previews. */
const WAITING_MAX = 500;
const WAITING_PER_SENDER = 30;
/** After that time a message shows the previews that there are. A server that stood still does not fetch old links. */
const LATE_MS = 10 * MINUTE_MS;
/** Pages that are fetched at a time, and those for the links of one sender. */
const AT_ONCE = 8;
const AT_ONCE_PER_SENDER = 3;
/** Longer than a fetch may take with the picture's turn at the decoder. A node that has not finished by then has died. */
const LOST_MS = 240_000;
/** For so long a fetch is remembered that another moment might not have failed. */
const BRIEF_MS = 10 * MINUTE_MS;
/** How long a server that stops waits for answers. */
const FAREWELL_MS = 1_000;
/** The key of the lock under which the pages of a minute are counted. No agent has it. */
const COUNT_LOCK = 0;

/** A message with its links by their hashes, and who sent it. */
interface Owing {
  message: store.OwingMessage;
  links: ReadonlyMap<string, string>;
  sender: string;
}

/**
 * Makes the previews of new messages, on one node. What is owed is in the messages themselves, so a crash loses nothing,
 * and a node that takes over goes on. A page is taken in the database before it is fetched, and previews are stored under
 * the lock of the channel: two nodes that believe for a moment that the duty is theirs do nothing twice.
 */
export class PreviewMaker {
  readonly #ctx: AppContext;
  /** Fetches that are under way, with their senders. */
  readonly #fetches = new Map<Promise<void>, string>();
  /** When pages were taken in the last minute, by sender. */
  readonly #taken = new Map<string, number[]>();
  #isStopped = false;
  #isClosed = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    // The fetches of an earlier process of a lone server have ended with it.
    if (ctx.cluster === null) await store.releasePages(ctx.db);
    runOnOne(ctx, "make link previews", PASS_MS, "making link previews failed", () => this.pass());
    ctx.onClose(async () => {
      this.#isStopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FAREWELL_MS);
      await Promise.race([this.settled(), late]);
      clearTimeout(timer);
      this.#isClosed = true;
    });
  }

  /** Shows what has been fetched, and begins to fetch what is missing. Resolves before the answers arrive. */
  async pass(): Promise<void> {
    if (this.#isStopped) return;
    const { db, clock, config } = this.#ctx;
    const rows = await store.owingMessages(db, WAITING_MAX);
    if (rows.length === 0) return;
    const owing = rows.map((message) => ({
      message,
      links: new Map(linksToShow(config, message.content).map((link) => [hashOf(link), link])),
      sender: senderOf(message),
    }));
    const waiting = await this.#withinShares(owing);
    const hashes = [...new Set(waiting.flatMap(({ links }) => [...links.keys()]))];
    const pages = new Map(
      (await store.pagesOf(db, hashes, clock.now() - PAGE_MS)).map((page) => [page.url_hash, page]),
    );
    const isDone = (hash: string) => isRemembered(pages.get(hash), clock.now());
    const begun = new Set(
      [...pages.values()].flatMap((page) => (isUnderWay(page, clock.now()) ? [page.url_hash] : [])),
    );
    let isFull = false;
    for (const each of inTurns(waiting)) {
      const isLate = clock.now() - each.message.created_at > LATE_MS;
      const missing = [...each.links].filter(([hash]) => !isDone(hash));
      if (isLate || missing.length === 0) {
        await this.#show(each.message, isLate);
        continue;
      }
      for (const [hash, link] of missing) {
        if (isFull || begun.has(hash) || !this.#hasShare(each.sender)) continue;
        begun.add(hash);
        isFull = !(await this.#begin(hash, link, each.sender));
      }
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#fetches.size > 0) await Promise.all(this.#fetches.keys());
  }

  /** Gives up those of a sender's messages that are too many, the last ones first. */
  async #withinShares(owing: readonly Owing[]): Promise<Owing[]> {
    const counts = new Map<string, number>();
    const [kept, given]: [Owing[], number[]] = [[], []];
    for (const each of owing) {
      const count = (counts.get(each.sender) ?? 0) + 1;
      counts.set(each.sender, count);
      if (count > WAITING_PER_SENDER) given.push(each.message.id);
      else kept.push(each);
    }
    await forgivePreviews(this.#ctx, given);
    return kept;
  }

  /** What is wrong with one message must not stop the others. */
  #show(message: store.OwingMessage, isLate: boolean): Promise<void> {
    return showPreviews(this.#ctx, message, isLate).catch((err: unknown) =>
      this.#ctx.log.warn({ err, messageId: message.id }, "the previews of a message could not be stored"),
    );
  }

  /** True if a page may be fetched for the sender now. */
  #hasShare(sender: string): boolean {
    const senders = [...this.#fetches.values()];
    const isFree = senders.length < AT_ONCE && senders.filter((each) => each === sender).length < AT_ONCE_PER_SENDER;
    return isFree && this.#takenBy(sender).length < PREVIEWS_PER_SENDER;
  }

  #takenBy(sender: string): number[] {
    const after = this.#ctx.clock.now() - MINUTE_MS;
    return (this.#taken.get(sender) ?? []).filter((at) => at > after);
  }

  /** Begins to fetch a page, unless another node has taken it. Returns false if this minute has had its pages. */
  async #begin(hash: string, link: string, sender: string): Promise<boolean> {
    const now = this.#ctx.clock.now();
    const taken = await this.#take(hash, now);
    if (taken !== "taken") return taken !== "full";
    this.#taken.set(sender, [...this.#takenBy(sender), now]);
    const fetching = this.#follow(hash, link, { sender, takenAt: now })
      .catch((err: unknown) => this.#ctx.log.warn({ err }, "fetching a page for a preview failed"))
      .finally(() => this.#fetches.delete(fetching));
    this.#fetches.set(fetching, sender);
    return true;
  }

  #take(hash: string, now: number): Promise<"taken" | "full" | "another's"> {
    return transact(this.#ctx, async ({ db }) => {
      await inCommitOrder(db, [COUNT_LOCK]);
      if ((await store.takenSince(db, now - MINUTE_MS)) >= PREVIEWS_PER_MINUTE) return "full";
      const isTaken = await store.takePage(db, hash, {
        ...{ now, after: now - PAGE_MS, lost: now - LOST_MS, brief: now - BRIEF_MS },
      });
      return isTaken ? "taken" : "another's";
    });
  }

  /** Fetches a page and writes down what it found. */
  async #follow(hash: string, link: string, { sender, takenAt }: { sender: string; takenAt: number }): Promise<void> {
    const ctx = this.#ctx;
    const found = await fetchPage(ctx, link, sender);
    // The database may be closed: the next server takes the page again.
    if (this.#isClosed) return;
    if (found === "busy") return store.releasePages(ctx.db, { hash, takenAt });
    const { facts = null, picture = null } = found === "later" ? {} : (found ?? {});
    const kept = picture === null || picture === "later" ? picture : await keepPagePicture(ctx, picture, sender);
    if (this.#isClosed) return;
    const { title = null, description = null, siteName: site_name = null } = facts ?? {};
    const fetched_at = found === "later" || kept === "later" ? store.BRIEFLY : ctx.clock.now();
    const end = { fetched_at, title, description, site_name, picture_id: kept === "later" ? null : kept };
    await transact(ctx, ({ db }) => store.endFetch(db, hash, takenAt, end));
  }

  /** Forgets the shares of senders that have not been used for a minute. */
  forgetShares(): void {
    const before = this.#ctx.clock.now() - MINUTE_MS;
    for (const [sender, taken] of this.#taken) if ((taken.at(-1) ?? 0) <= before) this.#taken.delete(sender);
  }
}

/** True for a page that is not fetched again yet. */
const isRemembered = (page: store.PageRow | undefined, now: number): boolean =>
  page !== undefined &&
  page.fetched_at !== null &&
  (page.fetched_at !== store.BRIEFLY || page.taken_at > now - BRIEF_MS);

/** True for a fetch that has not ended and is not lost. */
const isUnderWay = ({ fetched_at, taken_at }: store.PageRow, now: number): boolean =>
  fetched_at === null && taken_at > now - LOST_MS;

/** The maker of this server. */
export const previewMaker = perServer((ctx: AppContext): PreviewMaker => new PreviewMaker(ctx));

function senderOf({ user_id, agent_id, webhook_id }: store.OwingMessage): string {
  if (user_id !== null) return `u${user_id}`;
  return agent_id !== null ? `a${agent_id}` : `w${webhook_id}`;
}

/** Orders by turns of the senders, so that one with many links does not delay the others. */
function inTurns(owing: readonly Owing[]): Owing[] {
  const queues = [...Map.groupBy(owing, ({ sender }) => sender).values()];
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue[turn] ?? [])).flat();
}

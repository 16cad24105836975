import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { limitSubject } from "../../http/connections/address.ts";
import { Pace } from "./pace.ts";

/** Uploads in progress on this node: each holds a connection, a file and, for a picture, a place in a queue. */
const ALL_MAX = 64;
const NETWORK_MAX = 16;
const OWN_MAX = 3;
const KIB = 1024;
/** Bytes a second. Slower uploads are ended, so that nobody holds a slot by a byte from time to time. */
const LEAST_SPEED = KIB;
const LEAST_AFTER_MS = 30_000;
/** Slower uploads give way when somebody else finds no slot. A phone on a slow network is that slow, too. */
const GIVING_WAY_SPEED = 16 * KIB;
const GIVING_WAY_AFTER_MS = 10_000;

/** An upload in progress. */
export class Upload {
  readonly account: string;
  readonly network: string;
  readonly pace: Pace;
  /** Bytes of the file that have arrived, and those for which there is room on the disk. */
  received = 0;
  reserved = 0;
  readonly #end = new AbortController();

  constructor(ctx: AppContext, account: string, network: string) {
    this.account = account;
    this.network = network;
    this.pace = new Pace(ctx.clock);
  }

  /** Aborted when the upload must give way. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** True if the sender is slower than any network, or had to give way. */
  get isTooSlow(): boolean {
    if (this.signal.aborted) return true;
    return this.pace.waitedMs >= LEAST_AFTER_MS && this.pace.speed() < LEAST_SPEED;
  }

  get mayGiveWay(): boolean {
    const { pace } = this;
    return pace.isWaiting && pace.waitedMs >= GIVING_WAY_AFTER_MS && pace.speed() < GIVING_WAY_SPEED;
  }

  giveWay(): void {
    this.#end.abort();
  }
}

const running = perServer(() => new Set<Upload>());

/**
 * Runs an upload unless too many of this account, this network or all are running. One that is slow makes room for it:
 * the slowest of them ends with `upload_too_slow`. Errors: `overloaded`.
 */
export async function inUploadSlot<T>(
  ctx: AppContext,
  account: string,
  address: string,
  act: (upload: Upload) => Promise<T>,
): Promise<T> {
  const uploads = running(ctx);
  const upload = new Upload(ctx, account, limitSubject(address));
  const own = [...uploads].filter((other) => other.account === account);
  if (own.length >= OWN_MAX)
    throw fail("overloaded", { message: `You are uploading ${OWN_MAX} files already. Wait for one.`, retryAfter: 2 });
  const near = [...uploads].filter(({ network }) => network === upload.network);
  if (near.length >= NETWORK_MAX && !makeRoom(uploads, near))
    throw fail("overloaded", {
      message: "Too many files are uploaded from your network. Wait a moment.",
      retryAfter: 5,
    });
  if (uploads.size >= ALL_MAX && !makeRoom(uploads, [...uploads])) throw fail("overloaded", { retryAfter: 5 });
  uploads.add(upload);
  try {
    return await act(upload);
  } finally {
    uploads.delete(upload);
  }
}

/** Ends the slowest of these uploads. Returns false if all are fast enough to keep their slots. */
function makeRoom(uploads: Set<Upload>, among: readonly Upload[]): boolean {
  const [slowest] = among.filter(({ mayGiveWay }) => mayGiveWay).sort((a, b) => a.pace.speed() - b.pace.speed());
  if (slowest === undefined) return false;
  slowest.giveWay();
  return uploads.delete(slowest);
}

/** Returns the uploads in progress on this node. */
export const uploadsRunning = (ctx: AppContext): ReadonlySet<Upload> => running(ctx);

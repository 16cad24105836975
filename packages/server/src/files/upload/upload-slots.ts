import { type AppContext, perServer } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
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

const SHARED = "Others wait to upload, and you or your network had the most uploads. Try again in a moment.";

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

  /** Why the upload must end: its sender is slower than any network, or it had to give way; undefined: it may go on. */
  get refusal(): AppError | undefined {
    if (this.signal.aborted) return this.signal.reason as AppError;
    return this.pace.waitedMs >= LEAST_AFTER_MS && this.pace.speed() < LEAST_SPEED ? tooSlow() : undefined;
  }

  /** True if it is slow enough to give way to anybody. */
  get isSlow(): boolean {
    const { pace } = this;
    return pace.isWaiting && pace.waitedMs >= GIVING_WAY_AFTER_MS && pace.speed() < GIVING_WAY_SPEED;
  }

  giveWay(reason: AppError): void {
    this.#end.abort(reason);
  }
}

const tooSlow = () => fail("upload_too_slow", { retryAfter: 60 });

const running = perServer(() => new Set<Upload>());

/**
 * Runs an upload unless too many of this account, this network or all are running. Others make room for it: the slowest
 * one, if it is slow, ends with `upload_too_slow`; else one of the account or network with the most uploads ends with
 * `overloaded`, if this account or network has none. Errors: `overloaded`.
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
  if (near.length >= NETWORK_MAX && !makeRoom(uploads, near, upload))
    throw fail("overloaded", {
      message: "Too many files are uploaded from your network. Wait a moment.",
      retryAfter: 5,
    });
  if (uploads.size >= ALL_MAX && !makeRoom(uploads, [...uploads], upload)) throw fail("overloaded", { retryAfter: 5 });
  uploads.add(upload);
  try {
    return await act(upload);
  } finally {
    uploads.delete(upload);
  }
}

/** Ends one of these uploads for the newcomer. Returns false if all keep their slots. */
function makeRoom(uploads: Set<Upload>, among: readonly Upload[], newcomer: Upload): boolean {
  const slow = slowest(among.filter(({ isSlow }) => isSlow));
  const ended = slow ?? ofWhoHasMost(among, newcomer);
  if (ended === undefined) return false;
  ended.giveWay(slow === undefined ? fail("overloaded", { message: SHARED, retryAfter: 5 }) : tooSlow());
  return uploads.delete(ended);
}

/**
 * Returns an upload of the account that has the most, if the newcomer's account has none; or of the network that has the
 * most, if the newcomer's network has none, either. Who has one upload keeps it. What has arrived completely is not ended.
 */
function ofWhoHasMost(among: readonly Upload[], newcomer: Upload): Upload | undefined {
  for (const holder of ["account", "network"] as const) {
    if (among.some((other) => other[holder] === newcomer[holder])) return undefined;
    const groups = [...Map.groupBy(among, (other) => other[holder]).values()].filter(({ length }) => length > 1);
    for (const group of groups.sort((a, b) => b.length - a.length)) {
      const found = slowest(group.filter(({ pace }) => pace.isWaiting));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const slowest = (uploads: readonly Upload[]): Upload | undefined =>
  uploads.toSorted((a, b) => a.pace.speed() - b.pace.speed())[0];

/** Returns the uploads in progress on this node. */
export const uploadsRunning = (ctx: AppContext): ReadonlySet<Upload> => running(ctx);

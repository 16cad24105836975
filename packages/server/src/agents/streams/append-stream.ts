import type { Activity } from "@parley/protocol/activity";
import { CONTENT_MAX, RATES } from "@parley/protocol/limits";
import type { StreamAppendBody } from "@parley/protocol/streams";
import { isBlank } from "../../base/visible-text.ts";
import { writableChannel } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { writeTogether } from "../../db/group-commit.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { rateLimited } from "../../http/rates.ts";
import { activityIn, addActivity, cleanActivity } from "../../messages/activity/activity.ts";
import { cancelIfRefused } from "./end-stream.ts";
import { assertOwn, streamOver } from "./own-stream.ts";
import { streamDeltas } from "./stream-deltas.ts";
import { expiresAt } from "./stream-record.ts";
import { appendPiece, findStream, lockStream, storeActivity, touchStream } from "./streams.store.ts";

/** How often an append looks again because another one of the same stream was faster. */
const ATTEMPTS = 20;

/** An append that has passed the checks which need no database. */
interface Piece {
  offset: number;
  delta: string;
  status?: string | null;
  activity?: Activity[];
}

/** The answer to an append. */
export interface Held {
  stream_id: number;
  length: number;
  expires_at: string;
}

/**
 * Appends a piece of text to the agent's open stream, or notes what the agent does or did. The text is in the database when this
 * resolves, so that any node can take the next piece, and a crash loses none that was acknowledged. A piece, or a part of
 * one, that is held already is not appended again.
 * Errors: `stream_not_found`, `stream_over`, `offset_mismatch`, `message_too_long`, `rate_limited`, `invalid_request`;
 * those of `writableChannel`, which cancel the stream.
 */
export async function appendToStream(
  ctx: AppContext,
  caller: AgentIdentity,
  streamId: number,
  body: StreamAppendBody,
  contentMax = CONTENT_MAX,
): Promise<Held> {
  const piece = pieceOf(body, contentMax);
  const channelId = await assertOwn(ctx, caller, streamId);
  const rate = await ctx.limiter.take(RATES.streamAppend, `${streamId}`);
  if (!rate.allowed) throw rateLimited(rate);
  await cancelIfRefused(ctx, streamId, async () => writableChannel(ctx, caller, { id: channelId }));
  const held = await appendText(ctx, caller, { streamId, channelId }, piece);
  const { activity } = piece;
  if (activity === undefined) return held;
  await noteActivity(ctx, streamId, activity);
  streamDeltas(ctx).add(streamId, { channelId, offset: held.length, delta: "", activity });
  return held;
}

/** Appends the text of a piece, or notes that the agent is still there. */
async function appendText(
  ctx: AppContext,
  caller: AgentIdentity,
  { streamId, channelId }: { streamId: number; channelId: number },
  piece: Omit<Piece, "activity">,
): Promise<Held> {
  const now = ctx.clock.now();
  const { status } = piece;
  const keep = { status, keyId: caller.keyId, now };
  let { offset, delta } = piece;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const at = offset;
    const text = delta;
    if (text === "") {
      const length = await writeTogether(ctx, (ctx) => touchStream(ctx.db, streamId, keep));
      if (length !== null) {
        if (status !== undefined) streamDeltas(ctx).add(streamId, { channelId, offset: length, delta: "", status });
        return heldNow(streamId, length, now);
      }
    } else if (await writeTogether(ctx, (ctx) => appendPiece(ctx.db, streamId, { ...keep, offset: at, delta: text }))) {
      streamDeltas(ctx).add(streamId, { channelId, offset, delta, status });
      return heldNow(streamId, offset + delta.length, now);
    }
    const row = await findStream(ctx.db, streamId);
    if (row === undefined) throw fail("stream_not_found");
    if (row.state !== "open") throw streamOver(row);
    const rest = restOf(row.content, offset, delta);
    if (rest === null) throw fail("offset_mismatch", { details: { length: row.length } });
    offset = row.length;
    delta = rest;
  }
  throw fail("overloaded", { retryAfter: 1 });
}

/** Adds to what the agent did. A repetition changes nothing. Errors: `stream_not_found`, `stream_over`. */
function noteActivity(ctx: AppContext, streamId: number, activity: readonly Activity[]): Promise<void> {
  return transact(ctx, async (ctx) => {
    const row = await lockStream(ctx.db, streamId);
    if (row === undefined) throw fail("stream_not_found");
    if (row.state !== "open") throw streamOver(row);
    const json = JSON.stringify(addActivity(activityIn(row.activity), activity));
    if (json !== row.activity) await storeActivity(ctx.db, streamId, json);
  });
}

const heldNow = (stream_id: number, length: number, now: number): Held => ({
  stream_id,
  length,
  expires_at: expiresAt({ appended_at: now }),
});

/** Errors: `invalid_request`, `message_too_long`. */
function pieceOf({ offset, delta, status, activity }: StreamAppendBody, contentMax: number): Piece {
  if (delta !== undefined && offset === undefined)
    throw fail("invalid_request", { details: [{ path: "offset", message: "is required with delta" }] });
  if (delta === undefined && status === undefined && activity == null)
    throw fail("invalid_request", { details: [{ path: "delta", message: "send delta, status, or activity" }] });
  const acts = cleanActivity(activity);
  const piece = { offset: offset ?? 0, delta: delta ?? "", ...(acts.length === 0 ? {} : { activity: acts }) };
  if (piece.offset + piece.delta.length > contentMax) throw fail("message_too_long");
  return status === undefined ? piece : { ...piece, status: status === null || isBlank(status) ? null : status };
}

/** Returns what a piece adds to the text; empty if it is held already, null if it does not belong there. */
export function restOf(held: string, offset: number, delta: string): string | null {
  if (offset > held.length) return null;
  const known = held.slice(offset);
  if (known.startsWith(delta)) return "";
  return delta.startsWith(known) ? delta.slice(known.length) : null;
}

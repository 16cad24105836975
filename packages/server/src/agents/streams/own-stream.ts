import { LRUCache } from "lru-cache";
import { type AppContext, perServer } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { isInScope } from "../../http/key-scopes.ts";
import { findStream, type StreamRow } from "./streams.store.ts";

const KEPT = 10_000;

/** The fields of a stream that never change. */
interface Place {
  agentId: number;
  channelId: number;
}

/** The owners and channels of streams: an append reads them each time. */
const places = perServer(() => new LRUCache<number, Place>({ max: KEPT }));

/** Returns the channel of one of the agent's streams. Errors: `stream_not_found`. */
export async function assertOwn(ctx: AppContext, caller: AgentIdentity, streamId: number): Promise<number> {
  const place = places(ctx).get(streamId) ?? (await readPlace(ctx, streamId));
  if (place?.agentId !== caller.agentId || !isInScope(caller, place.channelId)) throw fail("stream_not_found");
  return place.channelId;
}

async function readPlace(ctx: AppContext, streamId: number): Promise<Place | undefined> {
  const row = await findStream(ctx.db, streamId);
  if (row === undefined) return undefined;
  const place = { agentId: row.agent_id, channelId: row.channel_id };
  places(ctx).set(streamId, place);
  return place;
}

/** Returns the error of a stream that has ended. */
export const streamOver = ({ state, message_id }: StreamRow): AppError =>
  fail("stream_over", { details: { state: state === "finished" ? "finished" : "cancelled", message_id } });

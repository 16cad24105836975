import { isDraft } from "../../agents/streams/stream-record.ts";
import { openStreamOf } from "../../agents/streams/streams.service.ts";
import type { Channel } from "../../channels/channel.ts";
import { AppError } from "../../errors.ts";
import { rest, type TelegramCall } from "../call.ts";

/** A message that may finish a draft, and its place. */
interface Final {
  content: string;
  place: { readonly reply_to_id?: number; readonly thread_root_id?: number };
  /** False: it has parts that a stream cannot have. */
  isText: boolean;
}

type Draft = NonNullable<Awaited<ReturnType<typeof openStreamOf>>>;

/** Returns the draft that the bot shows in a thread, or outside of threads; null: there is none. */
export async function openDraft(
  { ctx, bot }: TelegramCall,
  channel: Channel,
  root: number | undefined,
): Promise<Draft | null> {
  const open = await openStreamOf(ctx, bot.agentId, { channel_id: channel.id, thread_root_id: root ?? null });
  return open !== null && isDraft(open) && open.agent_name === bot.name ? open : null;
}

/**
 * Makes the draft in a place the message that the bot sends there, and returns the answer of the route; null: there is
 * none. A message that is more than text is sent after its draft is gone.
 */
export async function finishDraft(
  call: TelegramCall,
  channel: Channel,
  { content, place, isText }: Final,
): Promise<Record<string, unknown> | null> {
  const open = await openDraft(call, channel, place.thread_root_id);
  if (open === null) return null;
  if (!isText) {
    await cancelDraft(call, open);
    return null;
  }
  const { reply_to_id } = place;
  const body = { message: content, ...(reply_to_id === undefined ? {} : { reply_to_id }) };
  try {
    return await rest(call, "finishTelegramDraft", { params: { stream_id: open.id }, body });
  } catch (error) {
    if (isOver(error)) return null;
    throw error;
  }
}

/** Ends a draft without a message. */
export async function cancelDraft(call: TelegramCall, { id }: Draft): Promise<void> {
  try {
    await rest(call, "cancelStream", { params: { stream_id: id } });
  } catch (error) {
    if (!isOver(error)) throw error;
  }
}

/** True if the draft ended meanwhile, as after 30 s. */
const isOver = (error: unknown): boolean => error instanceof AppError && error.code === "stream_over";

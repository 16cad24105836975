import type { NoticeCode } from "@parley/protocol/notifications";
import type { AppContext } from "../context.ts";
import { port } from "../hook.ts";

/** An act of somebody else, or of the server, that a user should know (protocol §13.5, "Notices"). */
export interface NewNotice {
  code: NoticeCode;
  /** The channel that it is about, with the name by which the user knows it. */
  channel?: { id: number; name: string } | undefined;
  /** The message that a press shows. */
  messageId?: number | null | undefined;
  /** The name of something else that it is about. Must not be a user's name: an erasure could not find it here. */
  subject?: string | null | undefined;
  detail?: string | null | undefined;
  /** The user's own session that did it. */
  sessionId?: number | undefined;
  /** It is stored although an unread notice has the same text: it is about another thing, which happens once. */
  isOnce?: boolean | undefined;
  /** The user who did it, who needs no notice of their own acts. Absent: the server. */
  by?: { userId: number } | undefined;
}

/** Stores notices and tells sockets and browsers. The slice of notifications is above all slices that have some. */
export interface NoticeSink {
  add(ctx: AppContext, userId: number, notice: NewNotice): Promise<void>;
  /** Marks the user's notices of a code as read, or those that only say this code and this message. */
  read(ctx: AppContext, userId: number, code: NoticeCode, messageId?: number): Promise<void>;
}

/** Where notices go; absent at the command line, which makes none. */
export const noticeSink = port<NoticeSink>("notice sink");

/**
 * Tells a user of something, in their list of notifications. Call it inside the transaction of the act, so that both
 * commit together.
 */
export async function notify(ctx: AppContext, userId: number, notice: NewNotice): Promise<void> {
  if (notice.by?.userId !== userId) await noticeSink.find(ctx)?.add(ctx, userId, notice);
}

/**
 * Marks a user's notices of a code as read, which they have seen elsewhere; with `messageId` those of that message, which
 * need nobody any more. Call it inside `transact`.
 */
export async function noticesRead(
  ctx: AppContext,
  userId: number,
  code: NoticeCode,
  messageId?: number,
): Promise<void> {
  await noticeSink.find(ctx)?.read(ctx, userId, code, messageId);
}

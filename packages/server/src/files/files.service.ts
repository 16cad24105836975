import type { ChannelFile, ChannelFilesQuery, FileRecord } from "@parley/protocol/files";
import type { VoiceNote } from "@parley/protocol/voice-notes";
import { HIDDEN_AT } from "../base/hidden-at.ts";
import { readableChannel } from "../channels/access/access.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { storedCard } from "../event-log/stored-card.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { pageBefore } from "../http/pages.ts";
import { readableFile } from "./access.ts";
import * as store from "./files.store.ts";
import { removeUnsent } from "./removal.ts";
import { isOwn, recordOf, withoutWords } from "./sending.ts";

/** Returns the record of a file, also while it is scanned. Errors: those of `readableFile`. */
export async function fileRecord(ctx: AppContext, caller: Identity, fileId: number): Promise<FileRecord> {
  return recordOf(await readableFile(ctx, caller, fileId));
}

/** Removes the caller's file before it is sent. Errors: `file_not_found`, `file_already_sent`. */
export async function removeFile(ctx: AppContext, caller: UserIdentity | AgentIdentity, fileId: number): Promise<void> {
  const [file] = await store.findFiles(ctx.db, [fileId]);
  if (file === undefined || !isOwn(file, caller)) throw fail("file_not_found");
  if ((await removeUnsent(ctx, [fileId])) > 0) return;
  throw fail("file_already_sent", { message: "This file was sent. Delete its message to delete it." });
}

/** Changes the description of a file unless a message has it: then it returns false. */
export const describeUnsent = (ctx: AppContext, fileId: number, altText: string | null): Promise<boolean> =>
  store.setAltText(ctx.db, fileId, altText, { isUnsent: true });

/** Changes the description of a file, in the transaction that changes its message. */
export async function describeFile(ctx: AppContext, fileId: number, altText: string | null): Promise<void> {
  await store.setAltText(ctx.db, fileId, altText, { isUnsent: false });
}

/** Changes what is stored of a voice note, in the transaction that changes its message. */
export const changeVoice = (ctx: AppContext, fileId: number, voice: VoiceNote): Promise<void> =>
  store.setVoice(ctx.db, fileId, JSON.stringify(voice));

/** Returns a page of the files that a channel's messages show, the last uploaded first. Errors: `readableChannel`'s. */
export async function galleryOf(ctx: AppContext, caller: Identity, channelId: number, query: ChannelFilesQuery) {
  await readableChannel(ctx, caller, { id: channelId });
  const { kind, before } = query;
  const { shown, ...page } = await pageBefore(query.limit, (limit) =>
    store.channelFiles(ctx.db, channelId, { kind, before, limit }),
  );
  return { channel_id: channelId, files: shown.map(channelFile), ...page };
}

function channelFile(row: store.FileRow & { seq: number }): ChannelFile {
  const kind = row.agent_id === null ? "user" : "agent";
  const sender = { kind, name: row.uploader_name } as const;
  return { ...recordOf(row), message_id: row.message_id ?? 0, seq: row.seq, sender };
}

const PAGE = 500;

/**
 * Yields the records of a user's files, page by page, for the copy of their data. The words of files that they have
 * forwarded are those of others.
 */
export async function* ownFiles(ctx: AppContext, userId: number): AsyncGenerator<FileRecord[]> {
  for (let after = 0; ; ) {
    const rows = await store.filesOfUser(ctx.db, userId, after, PAGE);
    const shown = rows.filter(({ channel_deleted_at }) => channel_deleted_at !== HIDDEN_AT);
    yield shown.map((row) => (storedCard(row)?.forwarded === undefined ? recordOf(row) : withoutWords(recordOf(row))));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

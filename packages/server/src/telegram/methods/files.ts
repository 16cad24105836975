import type { FileRecord } from "@parley/protocol/files";
import { VOICE_MS_MAX } from "@parley/protocol/voice-limits";
import type { VoiceClaim, VoiceNote } from "@parley/protocol/voice-notes";
import { ConcurrencyLimiter } from "../../base/concurrency-limiter.ts";
import { perServer } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { readBeginning } from "../../files/serving/read-part.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { chatOf } from "../chats.ts";
import { fileBytes, type SentFile } from "../fields.ts";
import { fileIdOf, fileOfId, type MediaKind } from "../media.ts";
import { telegramMessage, telegramMessages } from "../messages.ts";
import { badRequest } from "../telegram-error.ts";
import { captionOf, sentCaption } from "../text/sent-text.ts";
import { withFileAt } from "../url-file.ts";
import { send } from "./send.ts";

const GROUP_MAX = 10;

/** Files that are copied at a time: each is in memory. */
const copying = perServer(() => new ConcurrencyLimiter({ concurrency: 4, queueMax: 100, retryAfter: 2 }));

/** sendPhoto and its siblings: the file is in the field of the kind's name. */
const sends =
  (kind: MediaKind): Method =>
  async (call) => {
    const channel = await chatOf(call);
    const content = await sentCaption(call);
    const fileId = await store(call, call.fields.raw(kind), kind, kind === "voice" ? claimOf(call) : null);
    const sent = await orRemove(call, [fileId], () => send(call, channel, { content, fileIds: [fileId], kind }));
    return telegramMessage(call.ctx, sent);
  };

export const sendPhoto = sends("photo");
export const sendDocument = sends("document");
export const sendVideo = sends("video");
export const sendAudio = sends("audio");
export const sendVoice = sends("voice");
export const sendAnimation = sends("animation");
export const sendVideoNote = sends("video_note");
export const sendSticker = sends("sticker");

/** sendMediaGroup: one message with all files, of which the Bot API sees a message each. */
export const sendMediaGroup: Method = async (call) => {
  const channel = await chatOf(call);
  const media = call.fields.object("media");
  if (!Array.isArray(media) || media.length < 2 || media.length > GROUP_MAX)
    throw badRequest("there must be 2 to 10 media in a group");
  const items = media.map(itemOf);
  let content = "";
  for (const { caption } of items) {
    // All are read, so that a wrong one is refused; the first is the message's.
    const text = await captionOf(call, caption);
    content ||= text;
  }
  const fileIds: number[] = [];
  const sent = await orRemove(call, fileIds, async () => {
    for (const { source, kind } of items) fileIds.push(await store(call, source, kind));
    return send(call, channel, { content, fileIds });
  });
  const [parts = []] = await telegramMessages(call.ctx, [sent]);
  return parts;
};

/** Returns what the bot says of its voice note; null: nothing that the server can use. */
function claimOf({ fields }: TelegramCall): VoiceClaim | null {
  const duration_ms = (fields.integer("duration") ?? 0) * 1_000;
  return duration_ms > 0 && duration_ms <= VOICE_MS_MAX ? { duration_ms } : null;
}

interface GroupItem {
  kind: MediaKind;
  source: unknown;
  caption: { source: string; parseMode: string | undefined; entities: unknown };
}

function itemOf(item: unknown): GroupItem {
  if (item === null || typeof item !== "object") throw badRequest("can't parse InputMedia: expected an Object");
  const { type, media, caption, parse_mode: mode, caption_entities: entities } = item as Record<string, unknown>;
  if (type !== "photo" && type !== "video" && type !== "audio" && type !== "document")
    throw badRequest("can't parse InputMedia: type is not available");
  const source = typeof caption === "string" ? caption : "";
  const parseMode = typeof mode === "string" ? mode : undefined;
  return { kind: type, source: media, caption: { source, parseMode, entities } };
}

/**
 * Stores the file that a field names, and returns its id: one of the form, by the field's own name or by `attach://`, one
 * that the bot may read, by its `file_id`, or one at an address. Of several files only one is in memory. Errors: 400.
 */
async function store(
  call: TelegramCall,
  given: unknown,
  kind: MediaKind,
  voice: VoiceClaim | null = null,
): Promise<number> {
  const { ctx, caller } = call;
  const attached = typeof given === "string" && given.startsWith("attach://") ? given.slice("attach://".length) : null;
  const inForm = call.fields.file(attached ?? kind);
  if (inForm !== undefined && (given === undefined || attached !== null))
    return upload(call, { ...inForm, name: inForm.name || kind }, voice);
  if (typeof given !== "string" || attached !== null) throw badRequest(`there is no ${kind} in the request`);
  assertScope(caller, "send");
  if (/^https?:/i.test(given))
    return withFileAt(ctx, { url: given, owner: caller.key, name: kind }, (file) => upload(call, file, voice));
  const known = fileOfId(given);
  if (known === null) throw badRequest("invalid file_id");
  const { file } = await rest(call, "getFileRecord", { params: { file_id: known.fileId } });
  const record = file as FileRecord;
  if (record.size_bytes > fileBytes(ctx)) throw fail("file_too_large", { details: { limit_bytes: fileBytes(ctx) } });
  return copying(ctx).run(async () => {
    const bytes = await readBeginning(ctx, caller, record, record.size_bytes);
    const claim = kind === "voice" && record.voice !== undefined ? { ...claimIn(record.voice), ...voice } : voice;
    return upload(call, { name: record.name, bytes: new Uint8Array(bytes) }, claim);
  });
}

const claimIn = ({ duration_ms, waveform }: VoiceNote): VoiceClaim => ({ duration_ms, waveform });

/** As in Telegram, a `voice` that is not sound alone is a file like any other. */
async function upload(call: TelegramCall, { name, bytes }: SentFile, voice: VoiceClaim | null): Promise<number> {
  if (bytes.length === 0) throw badRequest("file must be non-empty");
  const form = new FormData();
  form.set("file", new Blob([bytes]), name);
  if (voice !== null) form.set("voice", JSON.stringify(voice));
  try {
    const { file } = await rest(call, "uploadFile", { form });
    return (file as FileRecord).file_id;
  } catch (error) {
    if (voice === null || !(error instanceof AppError) || error.code !== "not_a_voice_note") throw error;
    return upload(call, { name, bytes }, null);
  }
}

/** Removes uploaded files if what should use them fails. */
async function orRemove<T>(call: TelegramCall, fileIds: readonly number[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    for (const file_id of fileIds)
      await rest(call, "deleteFile", { params: { file_id } }).catch((err: unknown) => {
        // The sweep of files that were not sent removes it tomorrow.
        call.ctx.log.debug({ err }, "an unsent file of a bot could not be removed");
      });
    throw error;
  }
}

/** getFile: where the bytes are. They are read with the rights that the bot has then. */
export const getFile: Method = async (call) => {
  const given = call.fields.text("file_id") ?? "";
  const known = fileOfId(given);
  if (known === null) throw badRequest("invalid file_id");
  const { file } = await rest(call, "getFileRecord", { params: { file_id: known.fileId } });
  const { name, sha256, size_bytes } = file as FileRecord;
  // Some clients put the path into an address as it is.
  const safe = name.replace(/[^A-Za-z0-9._-]/g, "_");
  const id = known.isPreview ? given : fileIdOf(known.fileId);
  return {
    file_id: id,
    file_unique_id: known.isPreview ? `p${sha256.slice(0, 15)}` : sha256.slice(0, 16),
    ...(known.isPreview ? {} : { file_size: size_bytes }),
    file_path: `${id}/${safe}`,
  };
};

/** Returns the bytes of a file by the path of `getFile`. Errors: those of the routes `getFile` and `getFilePreview`. */
export async function download(call: TelegramCall, path: string): Promise<Response> {
  const known = fileOfId(path.split("/", 1)[0] ?? "");
  if (known === null) throw fail("not_found");
  const route = known.isPreview ? "getFilePreview" : "getFile";
  const range = call.request.headers.get("range");
  const headers: Record<string, string> = range === null ? {} : { range };
  return call.routes.find(route).respond(call, { params: { file_id: known.fileId } }, call.signal, headers);
}

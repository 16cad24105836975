import type { FileRecord } from "@parley/protocol/files";

/** The fields of a `Message` in which the Bot API puts files. */
export type MediaKind = "photo" | "document" | "video" | "audio" | "voice" | "animation" | "video_note" | "sticker";

const PREVIEW = 480;

/** Returns the `file_id` of a file's bytes. */
export const fileIdOf = (fileId: number): string => `f${fileId}`;

/** Returns what a `file_id` names; null: nothing. */
export function fileOfId(text: string): { fileId: number; isPreview: boolean } | null {
  const [, letter, digits] = /^([fp])([1-9]\d{0,15})$/.exec(text) ?? [];
  const fileId = Number(digits);
  return letter === undefined || !Number.isSafeInteger(fileId) ? null : { fileId, isPreview: letter === "p" };
}

/** Returns how a file shows when nobody says: pictures as photos, sound as sound, and everything else as a document. */
export function mediaKindOf({ mime_type: type, voice }: FileRecord): MediaKind {
  if (voice !== undefined) return "voice";
  if (type === "image/gif") return "animation";
  if (type.startsWith("image/")) return "photo";
  if (type.startsWith("video/")) return "video";
  if (type === "audio/ogg") return "voice";
  return type.startsWith("audio/") ? "audio" : "document";
}

/** Returns the fields of a file in its `Message`. The server knows the durations of voice notes only, from their senders. */
export function mediaFields(file: FileRecord, kind: MediaKind): Record<string, unknown> {
  const common = {
    file_id: fileIdOf(file.file_id),
    file_unique_id: file.sha256.slice(0, 16),
    file_size: file.size_bytes,
  };
  const named = { ...common, file_name: file.name, mime_type: file.mime_type };
  const duration = Math.round((file.voice?.duration_ms ?? 0) / 1_000);
  const sides = { width: file.width ?? 0, height: file.height ?? 0 };
  if (kind === "photo") return { photo: [...previewOf(file), { ...common, ...sides }] };
  if (kind === "document") return { document: named };
  if (kind === "video") return { video: { ...named, ...sides, duration: 0 } };
  if (kind === "animation") return { animation: { ...named, ...sides, duration: 0 }, document: named };
  if (kind === "voice") return { voice: { ...common, mime_type: file.mime_type, duration } };
  if (kind === "audio") return { audio: { ...named, duration } };
  if (kind === "video_note") return { video_note: { ...common, length: sides.width, duration: 0 } };
  return { sticker: { ...common, ...sides, type: "regular", is_animated: false, is_video: false } };
}

function previewOf({ file_id, sha256, preview_url, width, height }: FileRecord): Record<string, unknown>[] {
  if (preview_url === null || width === null || height === null) return [];
  const scale = Math.min(1, PREVIEW / Math.max(width, height));
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  return [
    { file_id: `p${file_id}`, file_unique_id: `p${sha256.slice(0, 15)}`, width: side(width), height: side(height) },
  ];
}

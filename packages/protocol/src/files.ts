import { type Static, Type } from "typebox";
import { ALT_TEXT_MAX, FILE_NAME_MAX } from "./file-limits.ts";
import { ActorKind, HumanText, Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";
import { VoiceNote } from "./voice-notes.ts";

/** The text that describes a file to people who cannot see it. */
export const AltText = Type.String({ maxLength: ALT_TEXT_MAX, description: "Describes the file in words." });

/** A file that was uploaded (protocol §13.2). */
export const FileRecord = model("FileRecord", "A file that was uploaded.", {
  file_id: Id,
  name: Type.String({ maxLength: FILE_NAME_MAX, description: "Without a path, control or bidirectional characters." }),
  mime_type: Type.String({ description: "The type found in the bytes." }),
  size_bytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ description: "Of the bytes as they are served, in hexadecimal." }),
  width: Nullable(Type.Integer({ minimum: 1, description: "Of a picture, in pixels." })),
  height: Nullable(Type.Integer({ minimum: 1, description: "Of a picture, in pixels." })),
  alt_text: Nullable(AltText),
  status: Type.Enum(["scanning", "ready", "blocked"], {
    description: "`ready`: it can be sent and read. `blocked`: a virus scanner refused it.",
  }),
  url: Type.String({ description: "Serves the bytes to those who may read the message." }),
  preview_url: Nullable(Type.String({ description: "A smaller picture, as WebP; `?size=1280` for a larger one." })),
  username: Nullable(Type.String({ description: "Who uploaded it, if a user." })),
  agent_name: Nullable(Type.String({ description: "Who uploaded it, if an agent." })),
  created_at: Timestamp,
  expires_at: Nullable(Type.String({ ...Timestamp, description: "When it is deleted unless a message carries it." })),
  voice: Type.Optional(VoiceNote),
});
export type FileRecord = Static<typeof FileRecord>;

/** Text fields of POST /api/files, multipart/form-data, beside its `file` (protocol §13.2). */
export const UploadFileBody = Type.Object({
  alt_text: Type.Optional(AltText),
  voice: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'JSON `{"duration_ms", "waveform"?}`: the file is a voice note (section 13.18).',
    }),
  ),
});
export type UploadFileBody = Static<typeof UploadFileBody>;

/** PUT /api/files/:file_id; null or an empty text removes the description. */
export const DescribeFileBody = Type.Object({ alt_text: Nullable(AltText) });
export type DescribeFileBody = Static<typeof DescribeFileBody>;

/** Answer of POST /api/files, PUT /api/files/:file_id and GET /api/files/:file_id/record. */
export const FileResponse = response({ file: FileRecord });
export type FileResponse = Static<typeof FileResponse>;

/** /api/files/:file_id and below. */
export const FileParams = Type.Object({ file_id: Id });
export type FileParams = Static<typeof FileParams>;

/** Bytes of GET /api/files/:file_id. */
export const FileBytes = Type.String({ format: "binary", description: "The file, or the part of it in Range." });

/** GET /api/files/:file_id/preview. */
export const PreviewQuery = Type.Object({
  size: Type.Optional(
    Type.Enum(["480", "1280"], { description: "Pixels of the longer side at most; 480 by default." }),
  ),
});
export type PreviewQuery = Static<typeof PreviewQuery>;

/** Answer of DELETE /api/files/:file_id. */
export const DeleteFileResponse = response({ message: HumanText, file_id: Id });
export type DeleteFileResponse = Static<typeof DeleteFileResponse>;

/** The kinds of files by which a gallery can be narrowed. */
export const FileKind = Type.Enum(["image", "video", "audio", "text", "other"]);
export type FileKind = Static<typeof FileKind>;

/** /api/channels/:channel_id/files. */
export const ChannelFilesParams = Type.Object({ channel_id: Id });
/** GET /api/channels/:channel_id/files: newest uploads first. */
export const ChannelFilesQuery = Type.Object({
  kind: Type.Optional(FileKind),
  before: Type.Optional(Type.Integer({ ...Id, description: "A file's id: the page that ends before it." })),
  limit: Type.Optional(Limit),
});
export type ChannelFilesQuery = Static<typeof ChannelFilesQuery>;

/** A file with the message that it was sent with. */
export const ChannelFile = model("ChannelFile", "A file with its message.", {
  ...FileRecord.properties,
  message_id: Id,
  seq: Type.Integer({ minimum: 1 }),
  sender: Type.Object({ kind: ActorKind, name: Type.String() }),
});
export type ChannelFile = Static<typeof ChannelFile>;

/** Answer of GET /api/channels/:channel_id/files. */
export const ChannelFilesResponse = response({
  channel_id: Id,
  files: Type.Array(ChannelFile),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type ChannelFilesResponse = Static<typeof ChannelFilesResponse>;

/** File fields set by the server: a form with one is refused (protocol §0). */
export const FILE_READ_ONLY = ["id", "file_id", "status", "sha256"] as const;

import {
  ChannelFilesParams,
  ChannelFilesQuery,
  ChannelFilesResponse,
  DeleteFileResponse,
  FILE_READ_ONLY,
  FileBytes,
  FileParams,
  FileResponse,
  PreviewQuery,
  UploadFileBody,
} from "@parley/protocol/files";
import { repetition } from "@parley/protocol/values";
import { fail } from "../errors.ts";
import { type Route, route } from "../http/route.ts";
import { readableBytes } from "./access.ts";
import { fileRecord, galleryOf, removeFile } from "./files.service.ts";
import { fileResponse, servedPreview } from "./serving/file-response.ts";
import { uploadFile } from "./upload/upload.service.ts";

/** Of a whole file, a part, a redirect to the store that keeps it, or none of these. */
const BYTES_ANSWERS = { 200: FileBytes, 206: FileBytes, 302: FileBytes, 304: FileBytes, 416: FileBytes };

/** The pipeline cannot keep this key: a transaction must not last as long as an upload. */
const UPLOAD_KEY = {
  name: "Idempotency-Key",
  required: false,
  description: "Makes the upload repeatable for 24 hours: the same key and file return the first response.",
};

const tag = "Files";
const ACCESS_ERRORS = [
  "session_required",
  "file_not_found",
  "payment_required",
  "payments_not_configured",
  "banned",
] as const;
const BYTES_ERRORS = [...ACCESS_ERRORS, "file_not_ready", "file_blocked"] as const;

/** Routes of protocol §13.2. */
export const fileRoutes: readonly Route[] = [
  route({
    name: "uploadFile",
    method: "POST",
    path: "/api/files",
    summary: "Upload a file to send with a message. A file that is not sent within 24 hours is deleted.",
    tag,
    auth: "member",
    scope: "send",
    documentedActs: "upload file",
    rates: [{ policy: "files", by: "identity" }],
    upload: {
      field: "file",
      missing: "file_required",
      mediaType: "application/octet-stream",
      description: "At most 25 MiB, unless the server sets another limit (file_max_bytes of GET /api/site).",
      isStreamed: true,
    },
    body: UploadFileBody,
    readOnly: FILE_READ_ONLY,
    status: 201,
    reads: [UPLOAD_KEY],
    answers: { 201: FileResponse, 200: repetition(FileResponse) },
    errors: [
      "idempotency_key_invalid",
      "idempotency_conflict",
      "file_too_large",
      "upload_too_slow",
      "empty_file",
      "quota_reached",
      "type_not_allowed",
      "not_a_voice_note",
      "image_limits",
      "file_blocked",
      "overloaded",
    ],
    handle: ({ ctx, caller, request, address }) => uploadFile(ctx, caller, { request, address }),
  }),
  route({
    name: "getFile",
    method: "GET",
    path: "/api/files/:file_id",
    summary: "The bytes of a file, whole or one range of them.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read files",
    params: FileParams,
    answers: BYTES_ANSWERS,
    mediaType: "*/*",
    errors: BYTES_ERRORS,
    reads: [{ name: "Range", required: false, description: "One range of bytes; the answer is then 206." }],
    async handle({ ctx, caller, params, request }) {
      const { sha256, size_bytes: size, mime_type: mimeType, name } = await readableBytes(ctx, caller, params.file_id);
      return fileResponse(ctx, request, { sha256, size, mimeType, name });
    },
  }),
  route({
    name: "getFilePreview",
    method: "GET",
    path: "/api/files/:file_id/preview",
    summary: "A smaller picture of a file that is a picture, as WebP.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read files",
    params: FileParams,
    query: PreviewQuery,
    answers: BYTES_ANSWERS,
    mediaType: "image/webp",
    errors: BYTES_ERRORS,
    async handle({ ctx, caller, params, query, request }) {
      const served = await servedPreview(
        ctx,
        await readableBytes(ctx, caller, params.file_id),
        query.size === "1280" ? 1280 : 480,
      );
      if (served === null) throw fail("file_not_found");
      return fileResponse(ctx, request, served);
    },
  }),
  route({
    name: "getFileRecord",
    method: "GET",
    path: "/api/files/:file_id/record",
    summary: "The record of a file, also while it is scanned.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read files",
    params: FileParams,
    answers: { 200: FileResponse },
    errors: ACCESS_ERRORS,
    handle: async ({ ctx, caller, params }) => ({ file: await fileRecord(ctx, caller, params.file_id) }),
  }),
  route({
    name: "deleteFile",
    method: "DELETE",
    path: "/api/files/:file_id",
    summary: "Delete the caller's own file before it is sent. A file that was sent goes with its message.",
    tag,
    auth: "member",
    scope: "send",
    documentedActs: "delete unsent file",
    params: FileParams,
    answers: { 200: DeleteFileResponse },
    errors: ["file_not_found", "file_already_sent"],
    async handle({ ctx, caller, params }) {
      await removeFile(ctx, caller, params.file_id);
      return { message: "The file is deleted.", file_id: params.file_id };
    },
  }),
  route({
    name: "listChannelFiles",
    method: "GET",
    path: "/api/channels/:channel_id/files",
    summary: "List the files of a channel, the last uploaded first.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelFilesParams,
    query: ChannelFilesQuery,
    answers: { 200: ChannelFilesResponse },
    errors: [
      "session_required",
      "channel_not_found",
      "password_required",
      "payment_required",
      "payments_not_configured",
      "banned",
    ],
    handle: ({ ctx, caller, params, query }) => galleryOf(ctx, caller, params.channel_id, query),
  }),
];

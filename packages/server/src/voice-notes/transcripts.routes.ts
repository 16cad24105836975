import { FileParams, FileResponse } from "@parley/protocol/files";
import { TranscriptBody } from "@parley/protocol/voice-notes";
import { type Route, route } from "../http/route.ts";
import { removeTranscript, setTranscript } from "./transcripts.service.ts";

const tag = "Files";
const PLACE_ERRORS = [
  "file_not_found",
  "password_required",
  "forbidden",
  "payment_required",
  "payments_not_configured",
  "banned",
  "not_a_voice_note",
  "voice_note_not_sent",
] as const;

/** Routes of the transcripts of voice notes (protocol §13.18). */
export const transcriptRoutes: readonly Route[] = [
  route({
    name: "setTranscript",
    method: "PUT",
    path: "/api/files/:file_id/transcript",
    summary: "Write the words of a voice note, as its sender or as an agent in its channel.",
    tag,
    auth: "member",
    scope: "send",
    documentedActs: "write transcript",
    params: FileParams,
    body: TranscriptBody,
    answers: { 200: FileResponse },
    errors: [
      ...PLACE_ERRORS,
      "transcript_taken",
      "forward_not_editable",
      "message_has_interaction",
      "budget_exhausted",
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "agents_not_allowed",
    ],
    handle: async ({ ctx, caller, params, body }) => ({
      file: await setTranscript(ctx, caller, params.file_id, body),
    }),
  }),
  route({
    name: "removeTranscript",
    method: "DELETE",
    path: "/api/files/:file_id/transcript",
    summary: "Remove the words of a voice note.",
    tag,
    auth: "member",
    scope: "send",
    documentedActs: "remove transcript",
    params: FileParams,
    answers: { 200: FileResponse },
    errors: [...PLACE_ERRORS, "transcript_not_found"],
    handle: async ({ ctx, caller, params }) => ({ file: await removeTranscript(ctx, caller, params.file_id) }),
  }),
];

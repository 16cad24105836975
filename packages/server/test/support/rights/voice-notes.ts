import type { FileRecord } from "@parley/protocol/files";
import type { Transcript } from "@parley/protocol/voice-notes";
import { recordOf } from "../../../src/files/sending.ts";
import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { changes, json, type Recipe, reads } from "./recipe.ts";

const VOICE = { duration_ms: 1_000, waveform: [1, 2], transcript: null };
const WORDS = {
  text: "hello",
  language: null,
  agent_id: null,
  agent_name: null,
  created_at: "2026-01-01T00:00:00.000Z",
};

/** A message with a voice note that has these words. Nothing reads its bytes. */
const withWords = (transcript: Transcript | null): ObjectKind => ({
  ...on.message,
  notFound: "file_not_found",
  async get(world, target, role) {
    const handles = await on.message.get(world, target, role);
    if (handles === null) return null;
    const { db } = world.ctx;
    const row = {
      user_id: null,
      agent_id: null,
      uploader_name: "somebody",
      name: "note.webm",
      mime_type: "audio/webm",
      kind: "audio" as const,
      sha256: "0".repeat(64),
      size_bytes: 1,
      width: null,
      height: null,
      alt_text: null,
      small_sha256: null,
      large_sha256: null,
      status: "ready" as const,
      channel_id: Number(handles.channel_id),
      message_id: Number(handles.message_id),
      created_at: 0,
      kept_until: null,
      voice: JSON.stringify({ ...VOICE, transcript }),
    };
    const { id } = await db.insertInto("files").values(row).returning("id").executeTakeFirstOrThrow();
    const files = JSON.stringify([recordOf({ ...row, id })] satisfies FileRecord[]);
    await db.updateTable("messages").set({ files }).where("id", "=", row.message_id).execute();
    return { ...handles, file_id: id };
  },
});

export const noted = withWords(null);

export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "PUT /api/files/:file_id/transcript": [reads("write transcript", noted, json({ text: "hello" }))],
  "DELETE /api/files/:file_id/transcript": [changes("remove transcript", withWords(WORDS))],
};

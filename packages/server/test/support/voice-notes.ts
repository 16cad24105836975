import { expect } from "bun:test";
import { webmOf } from "./files/sounds.ts";
import type { Client } from "./servers/test-server.ts";

export const CLAIM = { duration_ms: 4_200, waveform: [0, 50, 100] };

/** Uploads a file that is said to be a voice note. */
export function upload(caller: Client, voice: unknown = CLAIM, bytes: Uint8Array<ArrayBuffer> = webmOf(2)) {
  const form = new FormData();
  form.set("file", new Blob([bytes]), "note.webm");
  if (voice !== null) form.set("voice", typeof voice === "string" ? voice : JSON.stringify(voice));
  return caller.post("/api/files", undefined, { raw: form });
}

/** Sends a voice note, and returns its message and file. */
export async function sendNote(caller: Client, channel_slug = "general", more: object = {}) {
  const { file_id } = (await upload(caller)).body.file;
  const answer = await caller.post("/api/messages", { channel_slug, file_ids: [file_id], ...more });
  expect(answer.status).toBe(201);
  const { chat_message } = answer.body;
  return { chat_message, file_id: file_id as number, path: `/api/files/${file_id}/transcript` };
}

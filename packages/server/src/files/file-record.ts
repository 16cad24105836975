import { UNSENT_FILE_HOURS } from "@parley/protocol/file-limits";
import type { FileRecord } from "@parley/protocol/files";
import { isoTime } from "../base/iso-time.ts";
import type { FileRow } from "./files.store.ts";

const HOUR_MS = 3_600_000;
export const UNSENT_MS = UNSENT_FILE_HOURS * HOUR_MS;

/** Returns the wire record (protocol §13.2). Messages store it as JSON, as it was when they were sent. */
export function recordOf(row: FileRow): FileRecord {
  const url = `/api/files/${row.id}`;
  return {
    file_id: row.id,
    name: row.name,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    alt_text: row.alt_text,
    status: row.status === "storing" ? "scanning" : row.status,
    url,
    preview_url: row.small_sha256 === null ? null : `${url}/preview`,
    username: row.agent_id === null ? row.uploader_name : null,
    agent_name: row.agent_id === null ? null : row.uploader_name,
    created_at: isoTime(row.created_at),
    expires_at: row.message_id === null ? isoTime(row.created_at + UNSENT_MS) : null,
  };
}

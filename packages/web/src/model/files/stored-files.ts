import type { FileRecord } from "@parley/protocol/files";
import { readStored, writeStored } from "../../state/local-storage.ts";

const nameOf = (draft: string): string => `files.${draft}`;

/** Stores the uploaded files of a draft in this browser; none removes the entry. */
export function storeFiles(draft: string, files: readonly FileRecord[]): void {
  writeStored(nameOf(draft), files.length === 0 ? null : JSON.stringify(files));
}

/** Returns the uploaded files of a draft. Skips what another version of the page has stored differently. */
export function storedFiles(draft: string): FileRecord[] {
  try {
    return filesOf(JSON.parse(readStored(nameOf(draft)) ?? "[]"));
  } catch {
    return [];
  }
}

/** Returns the elements that are files. */
export const filesOf = (value: unknown): FileRecord[] => (Array.isArray(value) ? value.filter(isFile) : []);

/** Checks the fields that are shown or sent. */
function isFile(value: unknown): value is FileRecord {
  if (value === null || typeof value !== "object") return false;
  const { file_id, name, mime_type, size_bytes, url } = value as Partial<Record<keyof FileRecord, unknown>>;
  return (
    typeof file_id === "number" &&
    typeof name === "string" &&
    typeof mime_type === "string" &&
    typeof size_bytes === "number" &&
    typeof url === "string"
  );
}

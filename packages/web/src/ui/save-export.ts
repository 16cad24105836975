import { UserFacingError } from "../i18n/user-facing-error.ts";

/** The end of a complete export (protocol §0). */
const END = '"complete":true}';

/** Saves an export as a file. @throws UserFacingError with `cutOff` if the stream ended early */
export async function saveExport(stream: ReadableStream<Uint8Array>, name: string, cutOff: string): Promise<void> {
  const copy = await new Response(stream).blob();
  const end = await copy.slice(-END.length - 8).text();
  if (!end.trimEnd().endsWith(END)) throw new UserFacingError(cutOff);
  saveFile(copy, name);
}

/** Saves bytes as a file of this name. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

import type { SourceFile } from "../../source.ts";
import { countOf, type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { attachmentsOf, uploadOf } from "./rocketchat-attachments.ts";
import type { Dump } from "./rocketchat-server.ts";

const FILES_MAX = 200;

/** Reads a message's files: from their list, from the one of older versions, and from links of attachments. */
export function filesOf(message: Fields, dump: Dump): SourceFile[] {
  const files = new Map<string, SourceFile>();
  // Beside a picture may be a smaller one.
  const listed = partsOf(message, "files").filter(({ typeGroup }) => typeGroup !== "thumb");
  const only = partOf(message, "file");
  for (const file of [...listed, only]) {
    const id = textOf(file, "_id");
    if (id !== "" && files.size < FILES_MAX) files.set(id, fileOf(id, file, {}, dump));
  }
  for (const attachment of attachmentsOf(message)) {
    const id = uploadOf(attachment);
    if (id !== "" && files.size < FILES_MAX) files.set(id, fileOf(id, nameOnly(attachment), attachment, dump));
  }
  return [...files.values()];
}

const nameOnly = (attachment: Fields): Fields => ({ name: textOf(attachment, "title") });

function fileOf(id: string, file: Fields, attachment: Fields, { index, grid, layout }: Dump): SourceFile {
  const upload = index.upload(id);
  const path = grid.path("rocketchat_uploads", id) ?? pathOf(id, layout);
  return {
    id,
    name: upload?.name || textOf(file, "name") || id,
    mimeType: upload?.type || textOf(file, "type") || null,
    size: grid.size("rocketchat_uploads", id) ?? upload?.size ?? countOf(file, "size"),
    alt: textOf(attachment, "description") || upload?.description || null,
    path,
    url: null,
  };
}

/** Beside the dump may be the folder in which a server keeps its files. */
function pathOf(id: string, { archive, root }: Dump["layout"]): string | null {
  if (!/^[\w-]{1,100}$/.test(id)) return null;
  for (const { name } of archive.under(`${root}uploads/${id}`)) {
    const rest = name.slice(`${root}uploads/${id}`.length);
    if (rest === "" || /^\.\w{1,10}$/.test(rest)) return name;
  }
  return null;
}

import type { SourceFile } from "../../source.ts";
import type { Layout } from "./layout.ts";
import type { ZulipIndex } from "./zulip-index.ts";

const UPLOAD = /^(?:https?:\/\/[^/?#]{1,300})?\/?user_uploads\/(?:thumbnail\/)?([^?#]{1,2000})/;
/** Zulip's own limit of a message's length allows fewer. */
const FILES_MAX = 200;

/** Returns where a file of an address is in the uploads; undefined if it is no address of one. */
export function uploadOf(address: string): string | undefined {
  const [, path] = UPLOAD.exec(address) ?? [];
  if (path === undefined) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the files that a text links, by their paths and the words of the links. */
export function filesOf(
  { archive, root }: Layout,
  index: ZulipIndex,
  uploads: ReadonlyMap<string, string>,
): SourceFile[] {
  return [...uploads].slice(0, FILES_MAX).map(([path, label]) => {
    const place = `${root}uploads/${path}`;
    const [entry, known] = [archive.find(place), index.attachment(path)];
    return {
      id: path,
      name: known?.name || label || (path.split("/").at(-1) ?? path),
      mimeType: null,
      size: entry?.size ?? known?.size ?? null,
      alt: null,
      path: entry === null ? null : place,
      url: null,
    };
  });
}

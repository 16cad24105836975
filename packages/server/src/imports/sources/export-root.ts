import type { Archive } from "../archive/archive.ts";

/**
 * Returns the folder of an archive that has everything: "", or the one folder into which somebody packed the export;
 * undefined if there is none, or more than one, because then none can be meant.
 */
export function exportRoot(archive: Archive, isRoot: (folder: string) => boolean): string | undefined {
  if (isRoot("")) return "";
  let root: string | undefined;
  for (const name of archive.children("")) {
    if (!name.endsWith("/") || !isRoot(name)) continue;
    if (root !== undefined) return undefined;
    root = name;
  }
  return root;
}

import type { Archive } from "../archive/archive.ts";

/**
 * Returns the folder of an archive that has everything: "", or the one folder into which somebody packed the export, so many
 * levels below; undefined if there is none, or more than one, because then none can be meant.
 */
export function exportRoot(archive: Archive, isRoot: (folder: string) => boolean, levels = 1): string | undefined {
  let folders = [""];
  for (let level = 0; level <= levels; level += 1) {
    const roots = folders.filter(isRoot);
    if (roots.length > 0) return roots.length === 1 ? roots[0] : undefined;
    folders = folders.flatMap((folder) => [...archive.children(folder)].filter((name) => name.endsWith("/")));
  }
  return undefined;
}

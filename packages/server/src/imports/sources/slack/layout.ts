import type { Archive } from "../../archive/archive.ts";
import { quoted } from "../../archive/entry-names.ts";
import { readJsonArray } from "../../archive/json-array.ts";
import { exportRoot } from "../export-root.ts";
import { SLACK_LISTS } from "./slack-lists.ts";

const DAY_FILE = /^\d{4}-\d{2}-\d{2}\.json$/;

/** Where things are in Slack's export. */
export interface Layout {
  readonly archive: Archive;
  /** The folder that has everything: "", or the one folder into which somebody packed the export. */
  readonly root: string;
  /** Counts replaced characters (`OpenSource.replacedCharacters`). */
  replaced: number;
}

/** Finds Slack's export in an archive; undefined if there is none. */
export function findLayout(archive: Archive): Layout | undefined {
  const isRoot = (folder: string): boolean => SLACK_LISTS.some((list) => archive.find(`${folder}${list}`) !== null);
  const root = exportRoot(archive, isRoot);
  return root === undefined ? undefined : { archive, root, replaced: 0 };
}

/** Reads the elements of a list of the export; none if it does not have this file. */
export async function* readList(layout: Layout, name: string): AsyncGenerator<unknown> {
  const path = `${layout.root}${name}`;
  if (layout.archive.find(path) === null) return;
  const before = layout.replaced;
  const { elements, replaced } = readJsonArray(layout.archive.read(path), `${layout.archive.path}: ${quoted(path)}`);
  for await (const some of elements) {
    layout.replaced = before + replaced();
    yield* some;
  }
}

/** Returns the names of the day files of a folder, in the order of time. */
export function* dayFiles({ archive, root }: Layout, folder: string): Generator<string> {
  const prefix = `${root}${folder}/`;
  for (const name of archive.children(prefix)) {
    if (DAY_FILE.test(name.slice(prefix.length))) yield name.slice(root.length);
  }
}

/** Returns the folders of the export that are no conversation of its lists, without those of exporting programs. */
export function* otherFolders({ archive, root }: Layout, known: ReadonlySet<string>): Generator<string> {
  for (const name of archive.children(root)) {
    const folder = name.slice(root.length, -1);
    if (name.endsWith("/") && !known.has(folder) && !/^[_.]/.test(folder)) yield folder;
  }
}

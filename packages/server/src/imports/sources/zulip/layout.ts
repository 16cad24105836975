import type { Archive } from "../../archive/archive.ts";
import { quoted } from "../../archive/entry-names.ts";
import { type JsonPath, readJsonDocument } from "../../archive/json-document.ts";
import { exportRoot } from "../export-root.ts";

const MESSAGES = /^messages-\d{1,12}\.json$/;

/** True for the names of files that only exports of Zulip have. */
export const isZulipFile = (name: string): boolean => name === "realm.json" || MESSAGES.test(name);

/** Where things are in an export of Zulip. */
export interface Layout {
  readonly archive: Archive;
  readonly root: string;
  /** Counts replaced characters (`OpenSource.replacedCharacters`). */
  replaced: number;
}

/** Finds Zulip's export in an archive; undefined if there is none. */
export function findLayout(archive: Archive): Layout | undefined {
  const root = exportRoot(archive, (folder) => archive.find(`${folder}realm.json`) !== null);
  return root === undefined ? undefined : { archive, root, replaced: 0 };
}

/** A row of a table of the database. */
export interface Row {
  readonly table: string;
  readonly value: unknown;
}

/** Reads the rows of all tables of a file; none if the export does not have it. A file without tables is one of rows. */
export async function* readRows(layout: Layout, name: string, counts: boolean): AsyncGenerator<Row> {
  const path = `${layout.root}${name}`;
  if (layout.archive.find(path) === null) return;
  const where = `${layout.archive.path}: ${quoted(path)}`;
  const before = layout.replaced;
  const { values, replaced } = readJsonDocument(layout.archive.read(path), where, isTableOrList);
  for await (const some of values) {
    if (counts) layout.replaced = before + replaced();
    for (const { path: place, value } of some) {
      const table = typeof place[0] === "string" ? place[0] : "";
      if (place.length > 0) yield { table, value };
    }
  }
}

const isTableOrList = ([table, ...more]: JsonPath): boolean => typeof table !== "number" && more.length === 0;

/** Returns the names of the files of messages, in their order. */
export function* messageFiles({ archive, root }: Layout): Generator<string> {
  for (const name of archive.children(root)) {
    if (MESSAGES.test(name.slice(root.length))) yield name.slice(root.length);
  }
}

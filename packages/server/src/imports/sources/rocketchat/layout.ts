import type { Archive } from "../../archive/archive.ts";
import { type BsonDocument, readBson } from "../../archive/bson-documents.ts";
import { quoted } from "../../archive/entry-names.ts";
import { gunzipped } from "../../archive/gunzip.ts";
import { exportRoot } from "../export-root.ts";

const SIGN = /^rocketchat_(?:message|room)\.bson(?:\.gz)?$/;

/** True for the names of files that only dumps of Rocket.Chat have. */
export const isRocketChatFile = (name: string): boolean => SIGN.test(name);

/** Where things are in a dump of Rocket.Chat's database. */
export interface Layout {
  readonly archive: Archive;
  readonly root: string;
  /** Counts replaced characters (`OpenSource.replacedCharacters`). */
  replaced: number;
}

/** Finds the dump in an archive; undefined if there is none. `mongodump` makes a folder of the database in its own. */
export function findLayout(archive: Archive): Layout | undefined {
  const hasMessages = (folder: string): boolean =>
    ["", ".gz"].some((ending) => archive.find(`${folder}rocketchat_message.bson${ending}`) !== null);
  const root = exportRoot(archive, hasMessages, 2);
  return root === undefined ? undefined : { archive, root, replaced: 0 };
}

/** Returns the file of a collection; null if the dump does not have it. */
export function fileOf({ archive, root }: Layout, collection: string): { path: string; isPacked: boolean } | null {
  const path = `${root}${collection}.bson`;
  if (archive.find(path) !== null) return { path, isPacked: false };
  return archive.find(`${path}.gz`) === null ? null : { path: `${path}.gz`, isPacked: true };
}

/** Returns the bytes of a collection, unpacked. */
export function bytesOf({ archive }: Layout, { path, isPacked }: { path: string; isPacked: boolean }) {
  const bytes = archive.read(path);
  return isPacked ? gunzipped(whereOf(archive, path), bytes, archive.find(path)?.size ?? 0) : bytes;
}

export const whereOf = (archive: Archive, path: string): string => `${archive.path}: ${quoted(path)}`;

/** Reads the documents of a collection; none if the dump does not have it. */
export async function* readCollection(
  layout: Layout,
  collection: string,
  counts = false,
): AsyncGenerator<BsonDocument["value"]> {
  const file = fileOf(layout, collection);
  if (file === null) return;
  const replaced = (): void => {
    if (counts) layout.replaced += 1;
  };
  for await (const { value } of readBson(bytesOf(layout, file), whereOf(layout.archive, file.path), replaced))
    yield value;
}

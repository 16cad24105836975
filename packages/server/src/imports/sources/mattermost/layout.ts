import type { Archive } from "../../archive/archive.ts";
import { quoted } from "../../archive/entry-names.ts";
import { type JsonLine, type JsonLines, readJsonLines } from "../../archive/json-lines.ts";
import type { SourceFile } from "../../source.ts";

const USUAL = "import.jsonl";
const ENDING = ".jsonl";
const POST = Buffer.from('{"type":"post"');
const PATH_MAX = 1_000;

/** Where things are in Mattermost's bulk export. */
export interface Layout {
  readonly archive: Archive;
  /** The folder that has everything: "", or the one folder into which somebody packed the export. */
  readonly root: string;
  /** The name of the file of lines, with the folder. */
  readonly file: string;
  /** Counts replaced characters (`OpenSource.replacedCharacters`). */
  replaced: number;
}

/** Finds the file of lines in an archive; undefined if there is none, or nobody knows which. */
export function findLayout(archive: Archive): Layout | undefined {
  const folders = ["", ...foldersOf(archive)];
  const found = folders.flatMap((root) => {
    const file = fileIn(archive, root);
    return file === undefined ? [] : [{ archive, root, file, replaced: 0 }];
  });
  const [first, ...more] = found;
  // The top folder comes before those in it.
  return first?.root === "" || more.length === 0 ? first : undefined;
}

function* foldersOf(archive: Archive): Generator<string> {
  for (const name of archive.children("")) if (name.endsWith("/")) yield name;
}

function fileIn(archive: Archive, root: string): string | undefined {
  if (archive.find(`${root}${USUAL}`) !== null) return `${root}${USUAL}`;
  let file: string | undefined;
  for (const name of archive.children(root)) {
    // A Mac adds files whose names begin with a dot.
    if (!name.endsWith(ENDING) || name.startsWith(`${root}.`)) continue;
    if (file !== undefined) return undefined;
    file = name;
  }
  return file;
}

/** Reads the lines. `isWanted` decides by the bytes of a line whether it is read. */
export async function* readLines(layout: Layout, isWanted?: (line: Uint8Array) => boolean): AsyncGenerator<JsonLine> {
  for await (const some of linesOf(layout, isWanted).lines) yield* some;
}

/** Reads all lines, and counts the characters that are replaced. Other readings do not, because they are of the same lines. */
export async function* readAllLines(layout: Layout): AsyncGenerator<JsonLine> {
  const { lines, replaced } = linesOf(layout);
  for await (const some of lines) {
    layout.replaced = replaced();
    yield* some;
  }
}

/** Most lines are posts, and Mattermost writes the type first, so most need not be parsed to know it. */
export const isPost = (line: Uint8Array): boolean => POST.every((byte, at) => line[at] === byte);

const linesOf = ({ archive, file }: Layout, isWanted?: (line: Uint8Array) => boolean): JsonLines =>
  readJsonLines(archive.read(file), `${archive.path}: ${quoted(file)}`, isWanted);

/** Describes a file that the export names by its path, which is below `data/`, or beside the lines in older exports. */
export function fileAt({ archive, root, file }: Layout, path: string): SourceFile {
  // A path that leads out is no name of a file of an archive, so it finds none. The lines themselves are nobody's file.
  const names = path.length > PATH_MAX ? [] : [`${root}data/${path}`, `${root}${path}`].filter((name) => name !== file);
  const entry = names.map((name) => archive.find(name)).find((each) => each !== null) ?? null;
  return {
    id: path.slice(0, PATH_MAX),
    name: path.slice(0, PATH_MAX).split("/").at(-1) || "file",
    mimeType: null,
    size: entry?.size ?? null,
    alt: null,
    path: entry?.name ?? null,
    url: null,
  };
}

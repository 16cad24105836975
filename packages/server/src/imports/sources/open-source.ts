import { createHash } from "node:crypto";
import type { Archive } from "../archive/archive.ts";
import { type OpenSource, SourceError } from "../source.ts";
import type { Format, SourceOptions } from "./format.ts";
import { FORMATS } from "./formats.ts";

/**
 * Opens an archive as an export of a chat. The source closes the archive, and so does an error. Errors: `SourceError`,
 * which names the chat if it is an export of another one.
 */
export async function openSource(archive: Archive, format: Format, options: SourceOptions): Promise<OpenSource> {
  try {
    const source = await format.open(archive, options);
    if (source === null) throw wrongFormat(archive, format);
    return withOptions(source, options);
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

/** The same file, read in another way, cannot go on where the other import stopped. */
function withOptions(source: OpenSource, { zone, open }: SourceOptions): OpenSource {
  if (zone === "UTC" && open !== "all" && open.size === 0) return source;
  const read = JSON.stringify([source.fingerprint, zone, open === "all" ? open : [...open].sort()]);
  return Object.create(source, { fingerprint: { value: createHash("sha256").update(read).digest("hex") } });
}

const NAMES_MAX = 500;

function wrongFormat(archive: Archive, wanted: Format): SourceError {
  const found = formatOf(archive);
  if (found === undefined || found === wanted)
    return new SourceError(`${archive.path} is no export of ${wanted.name}: ${wanted.expected}`);
  return new SourceError(
    `${archive.path}: This is a ${found.name} export, and not one of ${wanted.name}. Use: parley import ${found.id}.`,
  );
}

function formatOf(archive: Archive): Format | undefined {
  const top = firstNames(archive, "");
  const names = [...top, ...top.filter((name) => name.endsWith("/")).flatMap((folder) => firstNames(archive, folder))];
  return FORMATS.find(({ isSign }) => names.some((name) => isSign(name.split("/").at(-1) ?? "")));
}

/** The names in a folder, as many as it takes to know an export. */
function firstNames(archive: Archive, folder: string): string[] {
  const names: string[] = [];
  for (const name of archive.children(folder)) {
    if (names.push(name) === NAMES_MAX) break;
  }
  return names;
}

import type { Archive } from "../archive/archive.ts";
import { SourceError } from "../source.ts";

/** Opens the bytes of a file of an archive (`OpenSource.file`). */
export function archiveFile(archive: Archive, path: string): ReadableStream<Uint8Array> {
  if (archive.find(path) === null) throw new SourceError(`${archive.path} has no file ${JSON.stringify(path)}.`);
  return streamOf(archive.read(path));
}

/** Returns bytes as a stream that is read when somebody asks for more. */
export function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const bytes = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return?.();
    },
  });
}

/** Returns the bytes of the files of an archive with such a name (`OpenSource.recordBytes`). */
export function bytesOfFiles(archive: Archive, isRecord: (name: string) => boolean): number {
  let bytes = 0;
  for (const { name, size } of archive.under("")) bytes += isRecord(name) ? size : 0;
  return bytes;
}

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { ExportRefused } from "../refusal.ts";
import { diskError } from "./disk-error.ts";
import { gathering, type Target, type TargetFile } from "./target.ts";

/** Names of files that gain nothing from being compressed. */
const COMPRESSED = /\.(?:png|jpe?g|gif|webp|avif|mp4|webm|mp3|ogg|opus|m4a|zip|gz|xz|zst|7z|docx|xlsx|pptx)$/i;

/** Begins a ZIP, which has its name only when it is complete. Errors: `ExportRefused`. */
export async function openZipTarget(path: string): Promise<Target> {
  if (await exists(path)) throw new ExportRefused(`${path} exists. Name a new file.`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.partial`;
  const zip = new ZipFile();
  const out = createWriteStream(partial, { mode: 0o600 });
  const written = pipeline(zip.outputStream, out);
  // It is awaited with each entry, and at the end.
  written.catch(() => {});
  return {
    path,
    async file(name) {
      const entry = new PassThrough();
      zip.addReadStream(entry, name, { mode: 0o100600, compress: !COMPRESSED.test(name) });
      return gathering(entryFile(path, entry, written));
    },
    async finish() {
      zip.end();
      await written.catch((error: unknown) => Promise.reject(diskError(path, error)));
      await rename(partial, path);
    },
    async [Symbol.asyncDispose]() {
      out.destroy();
      await written.catch(() => {});
    },
  };
}

function entryFile(path: string, entry: PassThrough, written: Promise<void>): TargetFile {
  const failed = written.then(
    () => Promise.reject(new Error("The ZIP ended before its entries.")),
    (error: unknown) => Promise.reject(diskError(path, error)),
  );
  failed.catch(() => {});
  return {
    async write(data) {
      if (!entry.write(data)) await Promise.race([once(entry, "drain"), failed]);
    },
    async close() {
      entry.end();
    },
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

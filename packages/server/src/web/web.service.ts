import { resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import type { Encoding } from "../http/answers/compressed.ts";
import { bundlePages, hasSources, type PageName, type WebFile, type WebPages } from "./bundle.ts";
import apple from "./icons/apple-touch-icon.png" with { type: "file" };
import badge from "./icons/badge.png" with { type: "file" };
import icon192 from "./icons/icon-192.png" with { type: "file" };
import icon512 from "./icons/icon-512.png" with { type: "file" };
import maskable512 from "./icons/maskable-512.png" with { type: "file" };
import { sharedFiles } from "./shared-files.ts";

/** More than the files of two releases. */
const PACKED_MAX = 100;

/** The pages, built or unpacked on first request, because start-up does not need them. */
export class Pages {
  #loading: Promise<WebPages> | undefined;
  /** Compressed files by encoding and path; each is compressed on first request. */
  readonly #packed = new LRUCache<string, Uint8Array<ArrayBuffer>>({ max: PACKED_MAX });

  load(): Promise<WebPages> {
    this.#loading ??= loadPages();
    return this.#loading;
  }

  /** Returns a file's bytes, compressed to about a third. */
  packed({ path, text }: WebFile, encoding: Encoding): Uint8Array<ArrayBuffer> {
    const key = `${encoding} ${path}`;
    const bytes = this.#packed.get(key) ?? encoders[encoding](text);
    this.#packed.set(key, bytes);
    return bytes;
  }
}

async function loadPages(): Promise<WebPages> {
  if (hasSources()) return bundlePages();
  const { EMBEDDED_PAGES } = await import("./embedded-pages.ts");
  return EMBEDDED_PAGES;
}

const pages = perServer(() => ({ used: new Pages() }));

/** Serves pages that other servers of this process serve, too. Only for tests, which would bundle them for each server. */
export function servePages(ctx: AppContext, shared: Pages): void {
  pages(ctx).used = shared;
}

export async function pageHtml(ctx: AppContext, name: PageName): Promise<string> {
  const { html, files } = await pages(ctx).used.load();
  await sharedFiles(ctx).files?.store(files);
  return html[name];
}

/**
 * Returns a file of the pages by its path, in a cluster also of a page of another release. Throws `not_found` for an
 * unknown file or one of an older page.
 */
export async function pageFile(ctx: AppContext, path: string): Promise<WebFile> {
  const { files } = await pages(ctx).used.load();
  const found = files.find((file) => file.path === path) ?? (await sharedFiles(ctx).files?.find(path)) ?? null;
  if (found === null) throw fail("not_found");
  return found;
}

/** The largest script takes 30 ms; level 11 would take 520 ms for another 8 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const encoders: Record<Encoding, (text: string) => Uint8Array<ArrayBuffer>> = {
  gzip: (text) => gzipSync(text),
  br: (text) => brotliCompressSync(text, BROTLI),
};

/** Returns a file's bytes, compressed to about a third. */
export const packed = (ctx: AppContext, file: WebFile, encoding: Encoding): Uint8Array<ArrayBuffer> =>
  pages(ctx).used.packed(file, encoding);

/** Returns the favicon of the pages. */
export async function pageIcon(ctx: AppContext): Promise<WebFile> {
  const { files } = await pages(ctx).used.load();
  const found = files.find((file) => file.path.endsWith(".svg"));
  if (found === undefined) throw fail("not_found");
  return found;
}

/** Returns the script of the service worker. */
export async function workerScript(ctx: AppContext): Promise<string> {
  return (await pages(ctx).used.load()).worker;
}

/** The icons that tools/app-icons.ts draws, by the names of their files. */
const ICONS: ReadonlyMap<string, string> = new Map([
  ["apple-touch-icon.png", apple],
  ["badge.png", badge],
  ["icon-192.png", icon192],
  ["icon-512.png", icon512],
  ["maskable-512.png", maskable512],
]);

/** Returns an icon of the installed app, as a PNG. Throws `not_found` if there is none of that name. */
export function appIcon(name: string): Blob {
  const path = ICONS.get(name);
  if (path === undefined) throw fail("not_found");
  return Bun.file(resolve(import.meta.dir, path));
}

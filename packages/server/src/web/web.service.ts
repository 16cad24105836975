import { perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { bundlePages, hasSources } from "./bundle.ts";
import type { PageName, WebFile, WebPages } from "./page.ts";

/** The pages, built or unpacked on first request, because start-up does not need them. */
const pages = perServer(() => {
  let loading: Promise<WebPages> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
});

async function load(): Promise<WebPages> {
  if (hasSources()) return bundlePages();
  const { EMBEDDED_PAGES } = await import("./embedded-pages.ts");
  return EMBEDDED_PAGES;
}

type Context = Parameters<typeof pages>[0];

export async function pageHtml(ctx: Context, name: PageName): Promise<string> {
  return (await pages(ctx)()).html[name];
}

/** Returns a file of the pages by its path. Throws `not_found` for an unknown file or one of an older page. */
export async function pageFile(ctx: Context, path: string): Promise<WebFile> {
  const { files } = await pages(ctx)();
  const found = files.find((file) => file.path === path);
  if (found === undefined) throw fail("not_found");
  return found;
}

/** Compressed files by path; each is compressed on first request. */
const packedFiles = perServer(() => new Map<string, Uint8Array<ArrayBuffer>>());

/** Returns a file's bytes, compressed with gzip to about a third. */
export function packed(ctx: Context, { path, text }: WebFile): Uint8Array<ArrayBuffer> {
  const files = packedFiles(ctx);
  const bytes = files.get(path) ?? Bun.gzipSync(text);
  files.set(path, bytes);
  return bytes;
}

/** Returns the favicon of the pages. */
export async function pageIcon(ctx: Context): Promise<WebFile> {
  const { files } = await pages(ctx)();
  const found = files.find((file) => file.path.endsWith(".svg"));
  if (found === undefined) throw fail("not_found");
  return found;
}

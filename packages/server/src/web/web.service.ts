import { perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { bundlePages, hasSources } from "./bundle.ts";
import type { PageName, WebFile, WebPages } from "./page.ts";

/** The pages, made or unpacked when one is first asked for: most servers are asked, but none needs them to start. */
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

/** A file of the pages by its path. `not_found`: none, or one of an older page. */
export async function pageFile(ctx: Context, path: string): Promise<WebFile> {
  const { files } = await pages(ctx)();
  const found = files.find((file) => file.path === path);
  if (found === undefined) throw fail("not_found");
  return found;
}

/** Files as they travel, by path: packed once, when first asked for. */
const packedFiles = perServer(() => new Map<string, Uint8Array<ArrayBuffer>>());

/** A file's bytes, packed with gzip: a third of what it is. */
export function packed(ctx: Context, { path, text }: WebFile): Uint8Array<ArrayBuffer> {
  const files = packedFiles(ctx);
  const bytes = files.get(path) ?? Bun.gzipSync(text);
  files.set(path, bytes);
  return bytes;
}

/** The picture of the pages in lists of tabs. */
export async function pageIcon(ctx: Context): Promise<WebFile> {
  const { files } = await pages(ctx)();
  const found = files.find((file) => file.path.endsWith(".svg"));
  if (found === undefined) throw fail("not_found");
  return found;
}

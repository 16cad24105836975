import { perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { bundlePage, hasSources } from "./bundle.ts";
import type { WebFile, WebPage } from "./page.ts";

/** The page, made or unpacked when it is first asked for: most servers are asked, but none needs it to start. */
const page = perServer(() => {
  let loading: Promise<WebPage> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
});

async function load(): Promise<WebPage> {
  if (hasSources()) return bundlePage();
  const { EMBEDDED_PAGE } = await import("./embedded-page.ts");
  return EMBEDDED_PAGE;
}

type Context = Parameters<typeof page>[0];

export async function pageHtml(ctx: Context): Promise<string> {
  return (await page(ctx)()).html;
}

/** A file of the page by its path. `not_found`: none, or one of an older page. */
export async function pageFile(ctx: Context, path: string): Promise<WebFile> {
  const { files } = await page(ctx)();
  const found = files.find((file) => file.path === path);
  if (found === undefined) throw fail("not_found");
  return found;
}

/** The picture of the page in lists of tabs. */
export async function pageIcon(ctx: Context): Promise<WebFile> {
  const { files } = await page(ctx)();
  const found = files.find((file) => file.path.endsWith(".svg"));
  if (found === undefined) throw fail("not_found");
  return found;
}

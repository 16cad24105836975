import { createHash } from "node:crypto";
import { join } from "node:path";
import type { WebFile, WebPage } from "./page.ts";

const SOURCES = join(import.meta.dir, "../../../web/src");

/** Does this run from its sources? A compiled executable runs from a file system of its own and carries the page with it. */
export function hasSources(): boolean {
  return !/[/\\](\$bunfs|~BUN)[/\\]/.test(`${import.meta.dir}/`);
}

/** Makes the page out of packages/web. */
export async function bundlePage(): Promise<WebPage> {
  const built = await Bun.build({
    entrypoints: [join(SOURCES, "main.ts"), join(SOURCES, "style.css")],
    target: "browser",
    minify: true,
  });
  const outputs = new Map(built.outputs.map((output) => [output.path.replace(/^.*\./, ""), output]));
  const files = {
    script: fileOf("app", "js", "text/javascript", (await outputs.get("js")?.text()) ?? ""),
    style: fileOf("style", "css", "text/css", (await outputs.get("css")?.text()) ?? ""),
    icon: fileOf("icon", "svg", "image/svg+xml", await Bun.file(join(SOURCES, "icon.svg")).text()),
  };
  const template = await Bun.file(join(SOURCES, "page.html")).text();
  const names: Record<string, WebFile> = files;
  const html = template.replaceAll(/%(\w+)%/g, (_, name: string) => names[name]?.path ?? "");
  return { html, files: Object.values(files) };
}

function fileOf(name: string, ending: string, type: string, text: string): WebFile {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${ending}`, type: `${type}; charset=utf-8`, text };
}

// Run by embed.ts while the executable is built.
if (import.meta.main) console.log(JSON.stringify(await bundlePage()));

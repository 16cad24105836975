import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

const SOURCES = join(import.meta.dir, "../../../web/src");

/** True when running from sources. Bundles and executables are JavaScript and contain the pages. */
export function hasSources(): boolean {
  return import.meta.path.endsWith(".ts");
}

/** Decodes character references without HTML and with a small table (`character-references.ts`). */
const characterReferences: Bun.BunPlugin = {
  name: "character-references",
  setup(build) {
    build.onResolve({ filter: /^decode-named-character-reference$/ }, () => ({
      path: join(SOURCES, "markdown/character-references.ts"),
    }));
  },
};

/**
 * Leaves out the files of languages that a script does not load: `i18n/languages.ts` names all of them. `parts` are those
 * that it loads.
 */
const languageParts = (...parts: readonly string[]): Bun.BunPlugin => ({
  name: "language-parts",
  setup(build) {
    build.onResolve({ filter: /^\.\/\w+\/[\w-]+\.ts$/ }, ({ path, importer }) =>
      importer.endsWith("/i18n/languages.ts") && !parts.includes(basename(path, ".ts"))
        ? { path, external: true }
        : undefined,
    );
  },
});

/** Builds the pages from packages/web. */
export async function bundlePages(): Promise<WebPages> {
  const icon = fileOf("icon", "svg", "image/svg+xml", await Bun.file(join(SOURCES, "icon.svg")).text());
  const chat = await bundlePage(
    { template: "app/chat.html", script: "app/main.tsx", style: "styles/chat.css" },
    icon,
    languageParts("texts", "notifications", "errors", "emoji-names"),
  );
  const early = fileOf("early", "js", "text/javascript", await bundleEarly(chat.files));
  const claim = await bundlePage(
    { template: "claim/claim.html", script: "claim/main.ts", style: "styles/claim.css" },
    icon,
    languageParts("claim", "errors"),
  );
  return {
    html: { chat: chat.html.replace("/assets/early.js", early.path), claim: claim.html },
    files: [icon, early, ...chat.files, ...claim.files],
    worker: await bundleScript("worker/worker.ts", [languageParts("notifications")]),
  };
}

/** The files of a page, below `SOURCES`. */
interface PageSources {
  template: string;
  script: string;
  style: string;
}

/** Builds a script that is one file and no module. */
async function bundleScript(
  script: string,
  plugins: Bun.BunPlugin[],
  define: Record<string, string> = {},
): Promise<string> {
  const entrypoints = [join(SOURCES, script)];
  const { outputs } = await Bun.build({
    entrypoints,
    target: "browser",
    format: "iife",
    minify: true,
    plugins,
    define,
  });
  return (await outputs[0]?.text()) ?? "";
}

/** Builds the script that runs before the application. It begins to load the chunk that draws the text of messages. */
function bundleEarly(files: readonly WebFile[]): Promise<string> {
  const wanted = new Set(files.flatMap((file) => (file.path.startsWith("/assets/formatted-") ? [file] : [])));
  for (const { text } of wanted) {
    for (const path of importsOf(text)) for (const file of files) if (file.path === path) wanted.add(file);
  }
  return bundleScript("app/early.ts", [], { PARLEY_PRELOADED: JSON.stringify([...wanted].map(({ path }) => path)) });
}

/** Returns the chunks that a script imports at once. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|import)"(\/assets\/[\w.-]+)"/g)].map(([, path = ""]) => path);

/**
 * Fills in the template's placeholders: `%script%` and similar become the paths of the built files. Code that the
 * script imports on demand, and code that such chunks share, is in separate files, which the bundler names by content
 * hash.
 */
async function bundlePage({ template, script, style }: PageSources, icon: WebFile, languages: Bun.BunPlugin) {
  const built = await Bun.build({
    entrypoints: [join(SOURCES, script), join(SOURCES, style)],
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/assets/",
    plugins: [characterReferences, languages],
    naming: { chunk: "[name]-[hash].[ext]" },
    define: {
      // Selects React's production build.
      "process.env.NODE_ENV": '"production"',
      PARLEY_VERSION: JSON.stringify(manifest.version),
    },
  });
  const main = built.outputs.filter(({ kind }) => kind !== "chunk");
  const outputs = new Map(main.map((output) => [output.path.replace(/^.*\./, ""), output]));
  const files: Record<string, WebFile> = {
    script: fileOf("app", "js", "text/javascript", (await outputs.get("js")?.text()) ?? ""),
    style: fileOf("style", "css", "text/css", (await outputs.get("css")?.text()) ?? ""),
  };
  const names: Record<string, WebFile> = { ...files, icon };
  const html = await Bun.file(join(SOURCES, template)).text();
  const preloads = importsOf(files.script?.text ?? "").map((path) => `<link rel="modulepreload" href="${path}">`);
  return {
    html: html
      // Chunks that the script needs at once are preloaded in parallel.
      .replace("%preloads%", preloads.join("\n"))
      .replaceAll(/%(\w+)%/g, (_, name: string) => names[name]?.path ?? ""),
    files: [...Object.values(files), ...(await partsOf(built.outputs))],
  };
}

async function partsOf(outputs: readonly Bun.BuildArtifact[]): Promise<WebFile[]> {
  const parts = outputs.filter(({ kind }) => kind === "chunk");
  return Promise.all(
    parts.map(async (part) => ({
      path: `/assets/${basename(part.path)}`,
      type: "text/javascript; charset=utf-8",
      text: await part.text(),
    })),
  );
}

function fileOf(name: string, ending: string, type: string, text: string): WebFile {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${ending}`, type: `${type}; charset=utf-8`, text };
}

// embed.ts runs this while the executable is built.
if (import.meta.main) console.log(JSON.stringify(await bundlePages()));

/** A file of the pages. */
export interface WebFile {
  /** Its path below the server's root. */
  path: string;
  type: string;
  text: string;
}

/** The pages: the chat at `/`, the key claim at `/claim`. */
export type PageName = "chat" | "claim";

/** The pages' HTML and the files it refers to, whose names change with their content. */
export interface WebPages {
  html: Record<PageName, string>;
  files: WebFile[];
  /** The script of the service worker. Its address stays the same, and browsers look for new versions there. */
  worker: string;
}

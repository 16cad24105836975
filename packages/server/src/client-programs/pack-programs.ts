import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../../../..");

/** The programs that people run on their own machines, by the names of their packages, and where they are in the tree. */
const SOURCES = { "parley-acp": "clients/acp", "parley-claude-channel": "clients/claude-channel" } as const;
export type ProgramName = keyof typeof SOURCES;

/** The files of a package, by their paths. */
export type ProgramFiles = Record<ProgramName, Record<string, string>>;

interface Manifest extends Record<string, unknown> {
  devDependencies: Record<string, string>;
}

/**
 * Builds the packages of the programs: one file of JavaScript with our own packages in it. What others wrote is a
 * dependency with an exact version, which npm installs. In the tree these are `devDependencies`, so that a server does not
 * install them.
 */
export async function packPrograms(): Promise<ProgramFiles> {
  const files: Partial<ProgramFiles> = {};
  for (const [name, folder] of Object.entries(SOURCES))
    files[name as ProgramName] = await pack(name, join(ROOT, folder));
  return files as ProgramFiles;
}

async function pack(name: string, folder: string): Promise<Record<string, string>> {
  const text = (file: string) => Bun.file(join(folder, file)).text();
  const { devDependencies, scripts: _, private: __, ...manifest }: Manifest = JSON.parse(await text("package.json"));
  const foreign = Object.entries(devDependencies).filter(([each]) => !each.startsWith("@parley/"));
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, "src/main.ts")],
    target: "node",
    format: "esm",
    minify: { whitespace: true, syntax: true },
    external: foreign.map(([each]) => each),
  });
  const [main] = outputs;
  if (main === undefined || outputs.length !== 1) throw new Error(`${basename(folder)} is not one file`);
  return {
    "package.json": `${JSON.stringify({ ...manifest, bin: { [name]: "main.js" }, dependencies: Object.fromEntries(foreign) }, null, 2)}\n`,
    "README.md": await text("README.md"),
    LICENSE: await text("LICENSE"),
    "main.js": await main.text(),
  };
}

// embed.ts runs this while a bundle or the executable is built.
if (import.meta.main) console.log(JSON.stringify(await packPrograms()));

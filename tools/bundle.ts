/**
 * Builds the program in a form that starts faster than its 1,300 sources: `bun tools/bundle.ts <folder>` builds the
 * files that `npm start` runs, `bun tools/bundle.ts --executable <file>` a standalone executable.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BuildConfig, BunPlugin } from "bun";

/**
 * Removes pino's lookup of the caller of each logger, which only its transports need; Parley has none. Bun answers with
 * positions in the sources, so it would read source maps at every start and hold 2.5 MB of them.
 */
const unasked: BunPlugin = {
  name: "pino does not ask who calls it",
  setup(build) {
    build.onLoad({ filter: /[/\\]pino[/\\]lib[/\\]caller\.js$/ }, () => {
      isMet = true;
      return { contents: "module.exports = () => undefined;", loader: "js" };
    });
  },
};
let isMet = false;

/** Keeps identifiers: people read the names of functions and schemas. */
const common = {
  entrypoints: [join(import.meta.dir, "../packages/server/src/main.ts")],
  target: "bun",
  splitting: true,
  minify: { whitespace: true },
  naming: { chunk: "[name]-[hash].[ext]" },
  // Optional dependency of pg.
  external: ["pg-native"],
  plugins: [unasked],
} satisfies BuildConfig;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { executable: { type: "string" } } });
const [folder] = positionals;
if (values.executable !== undefined) {
  // Compiled bytecode starts in a third of the time. Inline source maps would cost 4 MB of memory.
  // The executable runs in any folder: a `.env` or `bunfig.toml` there belongs to something else.
  const compile = { outfile: values.executable, autoloadDotenv: false, autoloadBunfig: false };
  await Bun.build({ ...common, compile, bytecode: true, format: "esm" });
  console.log(`${values.executable} is the whole program; start it with: ${values.executable} serve`);
} else if (folder !== undefined) {
  await Bun.build({ ...common, outdir: folder, sourcemap: "linked" });
} else {
  throw new Error("usage: bun tools/bundle.ts <folder> | --executable <file>");
}
if (!isMet) throw new Error("pino has no lib/caller.js any more: see whether it still asks");

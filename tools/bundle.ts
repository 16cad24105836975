/**
 * Makes the program anew in a form that starts faster than its 1,300 sources: `bun tools/bundle.ts <folder>` the files that `npm start` runs,
 * `bun tools/bundle.ts --executable <file>` one that needs nothing else.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BuildConfig, BunPlugin } from "bun";

/**
 * Each logger of pino asks who called it, which only its transports want to know; Parley has none. Bun answers with places in the
 * sources, so it would read maps at every start and hold 2.5 MB of them.
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

/** Identifiers stay as they are: names of functions and schemas are read by people. */
const common = {
  entrypoints: [join(import.meta.dir, "../packages/server/src/main.ts")],
  target: "bun",
  splitting: true,
  minify: { whitespace: true },
  naming: { chunk: "[name]-[hash].[ext]" },
  // pg asks for it and works without it.
  external: ["pg-native"],
  plugins: [unasked],
} satisfies BuildConfig;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { executable: { type: "string" } } });
const [folder] = positionals;
if (values.executable !== undefined) {
  // Code that was compiled before it runs starts in a third of the time. Maps inside the file would cost it 4 MB of memory.
  // It is called in any folder: the settings and programs of a `.env` or `bunfig.toml` there are somebody else's.
  const compile = { outfile: values.executable, autoloadDotenv: false, autoloadBunfig: false };
  await Bun.build({ ...common, compile, bytecode: true, format: "esm" });
  console.log(`${values.executable} is the whole program; start it with: ${values.executable} serve`);
} else if (folder !== undefined) {
  await Bun.build({ ...common, outdir: folder, sourcemap: "linked" });
} else {
  throw new Error("usage: bun tools/bundle.ts <folder> | --executable <file>");
}
if (!isMet) throw new Error("pino has no lib/caller.js any more: see whether it still asks");

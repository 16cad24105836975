/**
 * Builds what npm publishes of a package: `bun tools/prepack.ts packages/sdk`. `npm pack` and `npm publish` run it. The
 * sources stay what everything in this repository imports (`paths` in tsconfig.json); `dist` is only for npm.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
const PACKAGES = ["protocol", "sdk"];

/** Emits JavaScript and types for one package into a draft, then replaces `dist`, so that `dist` is never half written. */
function build(folder: string): void {
  const draft = join(folder, `dist-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  const config = join(folder, "tsconfig.dist.json");
  const tsc = Bun.spawnSync([process.execPath, "run", "tsc", "-p", config, "--outDir", draft], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "inherit",
  });
  if (!tsc.success) {
    rmSync(draft, { recursive: true });
    // Standard output belongs to npm (`npm pack --json`).
    throw new Error(`${folder}: ${tsc.stdout.toString()}`);
  }
  for (const path of new Glob("**/*.d.ts").scanSync(draft)) nameEmittedFiles(join(draft, path));
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  renameSync(draft, join(folder, "dist"));
}

/** tsc rewrites the imports of JavaScript, but keeps `./x.ts` in types, a file that the package does not have. */
function nameEmittedFiles(path: string): void {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/(\bfrom "|\bimport\(")(\.{1,2}\/[^"]+)\.ts"/g, '$1$2.js"'));
}

const [folder] = process.argv.slice(2);
const wanted = PACKAGES.findIndex((name) => resolve(ROOT, "packages", name) === resolve(folder ?? "."));
if (wanted === -1)
  throw new Error(`usage: bun tools/prepack.ts ${PACKAGES.map((name) => `packages/${name}`).join("|")}`);
// A package is compiled against what those before it publish.
for (const name of PACKAGES.slice(0, wanted + 1)) build(join(ROOT, "packages", name));

/**
 * `bun bench/performance-page.ts [RESULTS.json …] [--growth FILE …] [--soak FILE]`: writes the figures of stored runs, and
 * their charts, into docs/reference/performance.md and bench/README.md. The first file that has a scenario, or
 * an axis of growth, gives its figures. A file that is not named stays the one that the page was made from. With --check it
 * writes nothing and fails if a page is out of date.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makePages, PAGE, PICTURES, README, type Sources, sourcesOf } from "./performance/page.ts";

const ROOT = join(import.meta.dir, "..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    growth: { type: "string", multiple: true },
    soak: { type: "string" },
    check: { type: "boolean", default: false },
  },
});

const inRepository = (path: string): string => relative(ROOT, resolve(path));
const text = (path: string): string => readFileSync(join(ROOT, path), "utf8");

function chosen(last: Sources): Sources {
  const growth = values.growth === undefined ? last.growth : values.growth.map(inRepository);
  const soak = values.soak === undefined ? last.soak : inRepository(values.soak);
  return {
    results: positionals.length === 0 ? last.results : positionals.map(inRepository),
    ...(growth === undefined ? {} : { growth }),
    ...(soak === undefined ? {} : { soak }),
  };
}

function isCurrent(path: string, content: string): boolean {
  try {
    return text(path) === content;
  } catch {
    return false;
  }
}

const old = { page: text(PAGE), readme: text(README) };
const made = makePages(chosen(sourcesOf(old.page)), (path) => JSON.parse(text(path)), old);
const files: Record<string, string> = { [PAGE]: made.page, [README]: made.readme };
for (const [name, svg] of Object.entries(made.pictures)) files[`${PICTURES}/${name}`] = svg;
mkdirSync(join(ROOT, PICTURES), { recursive: true });
const left = readdirSync(join(ROOT, PICTURES)).filter((name) => !(name in made.pictures));
const stale = Object.entries(files).filter(([path, content]) => !isCurrent(path, content));
if (values.check) {
  for (const [path] of stale) console.error(`${path} does not match the stored runs. Run: npm run format`);
  for (const name of left) console.error(`${PICTURES}/${name} belongs to no chart. Run: npm run format`);
  process.exit(stale.length + left.length === 0 ? 0 : 1);
}
for (const [path, content] of stale) {
  writeFileSync(join(ROOT, path), content);
  console.log(`wrote ${path}`);
}
for (const name of left) rmSync(join(ROOT, PICTURES, name));

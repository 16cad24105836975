import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { Glob } from "bun";

const ROOT = new URL("..", import.meta.url).pathname;

const pages = ["*.md", "docs/**/*.md", "{packages,examples,clients}/*/README.md", "bench/*.md", "bench/notes/*.md"]
  .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: ROOT })])
  .sort();

/** Returns the headings as GitHub's anchors. */
async function anchors(path: string): Promise<Set<string>> {
  const text = (await Bun.file(path).text()).replace(/^```.*?^```/gms, "");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
  return new Set(headings.map((heading) => heading.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")));
}

async function isBroken(page: string, target: string): Promise<boolean> {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
  if (!(await Bun.file(file).exists())) return (await Bun.$`test -d ${file}`.quiet().nothrow()).exitCode !== 0;
  return anchor !== undefined && file.endsWith(".md") && !(await anchors(file)).has(anchor);
}

test("every link between pages leads to a file, and to a heading of it", async () => {
  const broken: string[] = [];
  let looked = 0;
  for (const page of pages) {
    const text = (await Bun.file(join(ROOT, page)).text()).replace(/^```.*?^```/gms, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|mailto:|\/)/.test(target)) continue;
      looked += 1;
      if (await isBroken(page, target)) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
  expect(looked).toBeGreaterThan(50);
});

/** Example file names in the guides to the code, which need not exist. */
const EXAMPLES = /^(x\.(\w+\.)+ts|\.test\.ts|dist\/.*|utils\/)$/;

test("every file that the guides to the code name exists", async () => {
  const files = [
    ...new Glob("{packages,bench,tools,docs,examples,clients}/**/*").scanSync({ cwd: ROOT, onlyFiles: false }),
  ];
  const there = files.filter((path) => !path.includes("node_modules")).map((path) => `/${path}`);
  const isThere = (name: string) => there.some((path) => path.endsWith(`/${name.replace(/\/$/, "")}`));
  const missing: string[] = [];
  let looked = 0;
  for (const page of ["ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "SECURITY.md"]) {
    const text = await Bun.file(join(ROOT, page)).text();
    for (const [, name = ""] of text.matchAll(/`([\w.@/-]+(?:\.(?:tsx?|mjs|md|json)|\/))`/g)) {
      if (EXAMPLES.test(name)) continue;
      looked += 1;
      if (!isThere(name)) missing.push(`${page}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
  expect(looked).toBeGreaterThan(30);
});

test("the tree in ARCHITECTURE.md contains every folder of the server", async () => {
  const tree = (await Bun.file(join(ROOT, "ARCHITECTURE.md")).text()).match(/^```\n(packages\/.*?)^```/ms)?.[1] ?? "";
  const folders = [...new Glob("packages/server/src/*").scanSync({ cwd: ROOT, onlyFiles: false })]
    .map((path) => path.slice("packages/server/src/".length))
    .filter((path) => !path.endsWith(".ts"));
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => !new RegExp(`[ /]${folder}/\\s`).test(tree))).toEqual([]);
});

test("docs/README.md links to every document", async () => {
  const index = await Bun.file(join(ROOT, "docs/README.md")).text();
  const documents = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(documents.length).toBeGreaterThan(20);
  expect(documents.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
});

test("commands in the documents run files that exist", async () => {
  const missing: string[] = [];
  let looked = 0;
  for (const page of pages) {
    const text = await Bun.file(join(ROOT, page)).text();
    for (const [, path = ""] of text.matchAll(
      /(?:node_modules\/\.bin\/bun|node) ((?:examples|bench|tools|packages)\/[\w./-]+)/g,
    )) {
      looked += 1;
      if (!(await Bun.file(join(ROOT, path)).exists())) missing.push(`${page}: ${path}`);
    }
  }
  expect(missing).toEqual([]);
  expect(looked).toBeGreaterThan(3);
});

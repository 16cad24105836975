import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = new URL("..", import.meta.url).pathname;
/** A name on a page is a path from one of these folders. */
const BASES = ["packages/server/src", "packages/server", "."];

const read = (path: string) => Bun.file(join(ROOT, path)).text();
const pages = [...new Glob("docs/subsystems/*.md").scanSync({ cwd: ROOT })].sort();

/** Returns the text of the file that a page names; null if there is none. */
async function textOf(name: string): Promise<string | null> {
  for (const base of BASES) {
    const file = Bun.file(join(ROOT, base, name));
    if (await file.exists()) return file.text();
  }
  return null;
}

/** True if the code declares this function, constant or class, or `Class.method`. */
function declares(code: string, name: string): boolean {
  const [owner = "", method] = name.split(".");
  const isDeclared = new RegExp(
    `^(?:export )?(?:async )?(?:abstract )?(?:function\\*?|const|let|class) ${owner}\\b`,
    "m",
  );
  if (method === undefined) return isDeclared.test(code);
  const body = new RegExp(`^(?:export )?class ${owner}\\b.*?^}`, "ms").exec(code)?.[0] ?? "";
  return new RegExp(`^  (?:static |async |get |set |readonly )*\\*?${method}(?:\\(|<| = )`, "m").test(body);
}

test("finds functions, constants, classes and methods, and nothing that is only called or is in another class", () => {
  const code = [
    "export async function one(): Promise<void> {}",
    "const two = 2;",
    "class Three {",
    "  static async made(): Promise<Three> {",
    "    called();",
    "  }",
    "  readonly next = () => 1;",
    "  #hidden(): void {}",
    "}",
    "class Four {}",
  ].join("\n");
  const found = ["one", "two", "Three", "Three.made", "Three.next", "Three.#hidden"];
  expect(found.filter((name) => !declares(code, name))).toEqual([]);
  expect(["called", "Three.called", "Four.made", "made", "on"].filter((name) => declares(code, name))).toEqual([]);
});

test("every function that a subsystem page names is declared in the file that it names", async () => {
  expect(pages).not.toEqual([]);
  const missing: string[] = [];
  for (const page of pages) {
    for (const [, file = "", name = ""] of (await read(page)).matchAll(/`([\w./-]+\.tsx?):([\w.#]+)`/g)) {
      const code = await textOf(file);
      if (code === null) missing.push(`${page}: there is no ${file}`);
      else if (!declares(code, name)) missing.push(`${page}: ${file} declares no ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test("every file and identifier that a subsystem page mentions exists", async () => {
  const sources = await Promise.all(
    [...new Glob("packages/{server,protocol}/src/**/*.ts").scanSync({ cwd: ROOT })].map(read),
  );
  const words = new Set(sources.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
  const missing: string[] = [];
  for (const page of pages) {
    for (const [, name = ""] of (await read(page)).matchAll(/`([^`\n]+)`/g)) {
      const isFile = /^[\w./-]+\.tsx?$/.test(name);
      const isMissing = isFile ? (await textOf(name)) === null : /^[a-z]+[A-Z_]\w*$/.test(name) && !words.has(name);
      if (isMissing) missing.push(`${page}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test("every timer, duty and state of the server has a row on the page about clusters", async () => {
  const page = await read("docs/subsystems/cluster.md");
  const rows = page.split("\n").filter((line) => line.startsWith("|"));
  const src = join(ROOT, "packages/server/src");
  const missing: string[] = [];
  for (const path of new Glob("**/*.ts").scanSync({ cwd: src })) {
    if (/\.test\.ts$|^base\/|^cluster\/duties\.ts$|conformance\.ts$/.test(path)) continue;
    const code = await Bun.file(join(src, path)).text();
    const hasTimer = /\b(?:startBackgroundJob|runOnOne|setInterval)\(|[sS]cheduler\.after\(/.test(code);
    const hasState = path !== "context.ts" && /\bperServer[(<]/.test(code);
    if ((hasTimer || hasState) && !rows.some((row) => row.includes(`\`${path}\``))) missing.push(path);
    for (const [, name = ""] of code.matchAll(/\b(?:runOnOne|duty)\(\s*(?:this\.#)?ctx,\s*["`]([^"`$]+)/g)) {
      if (!rows.some((row) => row.includes(`\`${name.trimEnd()}`))) missing.push(`${path}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test("every subsystem page ends with the road through the code", async () => {
  for (const page of pages) {
    const last = (await read(page)).split(/^## /m).at(-1) ?? "";
    expect([page, last.split("\n")[0]]).toEqual([page, "The road"]);
    expect([...last.matchAll(/^- `[\w./-]+\.tsx?:[\w.#]+`/gm)].length).toBeGreaterThan(9);
  }
});

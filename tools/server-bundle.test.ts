import { expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";

/** Bundling takes one or two seconds, and several times as long on a busy machine. The timeout only ends a test that hangs. */

const ROOT = join(import.meta.dir, "..");
const MANIFEST = "packages/server/package.json";
const VERSION: string = JSON.parse(readFileSync(join(ROOT, MANIFEST), "utf8")).version;

/** Copies the sources, so that a test can change them. node_modules is shared. */
function clone(): string {
  const folder = join(temporaryFolder(), "clone");
  mkdirSync(join(folder, "packages"), { recursive: true });
  for (const path of ["package.json", "package-lock.json", "tsconfig.json", "tools", "docs", "clients"]) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter: (file) => !file.endsWith("node_modules") });
  }
  for (const name of readdirSync(join(ROOT, "packages"))) {
    for (const path of [`packages/${name}/src`, `packages/${name}/package.json`, `packages/${name}/README.md`]) {
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    // What npm could not put beside the others, such as another version of a package.
    const own = `packages/${name}/node_modules`;
    if (existsSync(join(ROOT, own))) symlinkSync(join(ROOT, own), join(folder, own));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

async function parley(folder: string, ...args: string[]) {
  const run = Bun.spawn(["node", "tools/run.mjs", "parley", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", PARLEY_DATA_DIR: join(folder, "data") },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  return { code: await run.exited, out: out.trim(), err };
}

function setVersion(folder: string, version: string): void {
  const file = join(folder, MANIFEST);
  const text = readFileSync(file, "utf8").replace(/"version": ".*"/, `"version": "${version}"`);
  writeFileSync(file, text);
}

const bundles = (folder: string): string[] => readdirSync(join(folder, "dist/server"));

test("npm start runs the current sources after every edit, even if their timestamps are older", async () => {
  const folder = clone();
  expect(await parley(folder, "--version")).toMatchObject({ code: 0, out: VERSION });
  const [first] = bundles(folder);
  expect(await parley(folder, "--version")).toEqual({ code: 0, out: VERSION, err: "" });
  setVersion(folder, "9.9.9");
  utimesSync(join(folder, MANIFEST), 0, 0);
  expect(await parley(folder, "--version")).toMatchObject({ code: 0, out: "9.9.9" });
  expect(bundles(folder)).toHaveLength(1);
  expect(bundles(folder)).not.toContain(first);
  setVersion(folder, VERSION);
  utimesSync(join(folder, MANIFEST), 0, 0);
  expect(await parley(folder, "--version")).toMatchObject({ code: 0, out: VERSION });
  expect(bundles(folder)).toEqual([first ?? ""]);
});

test("npm start makes a single bundle when several starts coincide", async () => {
  const folder = clone();
  const runs = await Promise.all([1, 2, 3].map(() => parley(folder, "--version")));
  expect(runs.map(({ code, out }) => ({ code, out }))).toEqual([1, 2, 3].map(() => ({ code: 0, out: VERSION })));
  expect(bundles(folder)).toHaveLength(1);
  expect(readdirSync(join(folder, "dist/server", bundles(folder)[0] ?? "")).join()).not.toContain("used-by");
});

test("npm start deletes drafts of interrupted starts, and old bundles only when no process uses them", async () => {
  const folder = clone();
  await parley(folder, "--version");
  const [first = ""] = bundles(folder);
  const note = join(folder, "dist/server", first, `used-by-${process.pid}`);
  writeFileSync(note, "");
  const nobody = Bun.spawn(["true"]);
  await nobody.exited;
  mkdirSync(join(folder, "dist/server", `draft-${nobody.pid}`));
  setVersion(folder, "9.9.8");
  await parley(folder, "--version");
  expect(bundles(folder)).toHaveLength(2);
  expect(bundles(folder)).toContain(first);
  rmSync(note);
  setVersion(folder, "9.9.9");
  await parley(folder, "--version");
  expect(bundles(folder)).toHaveLength(1);
});

test("npm start runs the sources, and says why, if no bundle can be stored", async () => {
  const folder = clone();
  writeFileSync(join(folder, "dist"), "");
  const run = await parley(folder, "--version");
  expect(run).toMatchObject({ code: 0, out: VERSION });
  expect(run.err).toContain("Starting from the sources");
  expect(run.err).toContain("dist/server");
});

test("npm start reports the file and line of a syntax error in the sources", async () => {
  const folder = clone();
  writeFileSync(join(folder, "packages/server/src/main.ts"), "const = 1;");
  const run = await parley(folder, "--version");
  expect(run.code).not.toBe(0);
  expect(run.err).toContain("packages/server/src/main.ts:1");
  expect(bundles(folder)).toEqual([]);
});

test("npm start names source files and lines in the stack trace of a bundled program", async () => {
  const folder = clone();
  const file = join(folder, "packages/server/src/command-line/database.ts");
  const text = readFileSync(file, "utf8");
  const at = text.indexOf("{", text.indexOf("export async function migrateCommand"));
  writeFileSync(file, `${text.slice(0, at + 1)}\n  if (Date.now() > 0) throw new Error("a bug");${text.slice(at + 1)}`);
  const line = text.slice(0, at).split("\n").length + 1;
  const run = await parley(folder, "migrate");
  expect(run.code).toBe(1);
  expect(run.err).toContain(`packages/server/src/command-line/database.ts:${line}:`);
});

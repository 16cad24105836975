import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";

/** Bundling takes a second or two, and several times that on a busy machine: a guard against hanging. */
setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "..");
const MANIFEST = "packages/server/package.json";
const VERSION: string = JSON.parse(readFileSync(join(ROOT, MANIFEST), "utf8")).version;

/** A clone whose sources may be changed; node_modules is shared. */
function clone(): string {
  const folder = join(temporaryFolder(), "clone");
  mkdirSync(join(folder, "packages"), { recursive: true });
  for (const path of ["package.json", "package-lock.json", "tsconfig.json", "tools"]) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  for (const name of readdirSync(join(ROOT, "packages"))) {
    for (const path of [`packages/${name}/src`, `packages/${name}/package.json`]) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
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

test("an edit is seen by the next start, also one that undoes another and looks older", async () => {
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

test("starts at once make one bundle, and leave nothing else", async () => {
  const folder = clone();
  const runs = await Promise.all([1, 2, 3].map(() => parley(folder, "--version")));
  expect(runs.map(({ code, out }) => ({ code, out }))).toEqual([1, 2, 3].map(() => ({ code: 0, out: VERSION })));
  expect(bundles(folder)).toHaveLength(1);
  expect(readdirSync(join(folder, "dist/server", bundles(folder)[0] ?? "")).join()).not.toContain("used-by");
});

test("a bundle stays while somebody uses it; what an interrupted start left does not", async () => {
  const folder = clone();
  await parley(folder, "--version");
  const [first = ""] = bundles(folder);
  const note = join(folder, "dist/server", first, `used-by-${process.pid}`);
  writeFileSync(note, "");
  const nobody = Bun.spawn(["true"]);
  await nobody.exited;
  mkdirSync(join(folder, "dist/server", `${first}.draft-${nobody.pid}`));
  setVersion(folder, "9.9.8");
  await parley(folder, "--version");
  expect(bundles(folder)).toHaveLength(2);
  expect(bundles(folder)).toContain(first);
  rmSync(note);
  setVersion(folder, "9.9.9");
  await parley(folder, "--version");
  expect(bundles(folder)).toHaveLength(1);
});

test("where no bundle can be kept, the sources run, and the terminal says why", async () => {
  const folder = clone();
  writeFileSync(join(folder, "dist"), "");
  const run = await parley(folder, "--version");
  expect(run).toMatchObject({ code: 0, out: VERSION });
  expect(run.err).toContain("Starting from the sources");
  expect(run.err).toContain("dist/server");
});

test("sources that are no program are refused with the place", async () => {
  const folder = clone();
  writeFileSync(join(folder, "packages/server/src/main.ts"), "const = 1;");
  const run = await parley(folder, "--version");
  expect(run.code).not.toBe(0);
  expect(run.err).toContain("packages/server/src/main.ts:1");
  expect(bundles(folder)).toEqual([]);
});

test("what a bug leaves behind names places in the sources", async () => {
  const folder = clone();
  const file = join(folder, "packages/server/src/command-line/migrate.ts");
  const text = readFileSync(file, "utf8");
  const at = text.indexOf("{", text.indexOf("export async function migrateCommand"));
  writeFileSync(file, `${text.slice(0, at + 1)}\n  if (Date.now() > 0) throw new Error("a bug");${text.slice(at + 1)}`);
  const line = text.slice(0, at).split("\n").length + 1;
  const run = await parley(folder, "migrate");
  expect(run.code).toBe(1);
  expect(run.err).toContain(`packages/server/src/command-line/migrate.ts:${line}:`);
});

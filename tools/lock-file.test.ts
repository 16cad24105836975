import { expect, test } from "bun:test";
import { Glob } from "bun";

interface Entry {
  version?: string;
  link?: true;
  integrity?: string;
  resolved?: string;
}

const ROOT = new URL("..", import.meta.url).pathname;
/** The repository's lock file, and those of the packages that only tests and measurements install. */
const FILES = ["package-lock.json", ...new Glob("{bench,tools}/*/package-lock.json").scanSync({ cwd: ROOT })].sort();

async function entriesOf(file: string): Promise<[path: string, entry: Entry][]> {
  const { packages } = JSON.parse(await Bun.file(ROOT + file).text()) as { packages: Record<string, Entry> };
  return Object.entries(packages);
}

// npm installs a package without a hash unverified, and does not say so. Therefore the lock file omits the binaries of
// test tools for platforms that have none.
test.each(FILES)("every package in %s has an integrity hash", async (file) => {
  const entries = await entriesOf(file);
  const installed = entries.filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
  const unproven = installed.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""));
  expect(installed.length).toBeGreaterThan(file === "package-lock.json" ? 100 : 0);
  expect(unproven.map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`)).toEqual([]);
});

test.each(FILES)("no entry of %s names a registry", async (file) => {
  const named = (await entriesOf(file)).filter(([, { resolved }]) => resolved?.includes("://"));
  expect(named.map(([path]) => path)).toEqual([]);
});

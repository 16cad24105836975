import { expect, test } from "bun:test";

interface Entry {
  version?: string;
  link?: true;
  integrity?: string;
  resolved?: string;
}

const text = await Bun.file(new URL("../package-lock.json", import.meta.url).pathname).text();
const entries = Object.entries((JSON.parse(text) as { packages: Record<string, Entry> }).packages);
const installed = entries.filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
const unproven = installed.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""));

// npm installs a package without a hash unverified, and does not say so. Therefore the lock file omits the binaries of
// test tools for platforms that have none.
test("every package in the lock file has an integrity hash", () => {
  expect(installed.length).toBeGreaterThan(100);
  expect(unproven.map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`)).toEqual([]);
});

test("no entry of the lock file names a registry", () => {
  expect(entries.filter(([, { resolved }]) => resolved?.includes("://")).map(([path]) => path)).toEqual([]);
});

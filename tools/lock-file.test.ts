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

// npm silently installs packages that it cannot verify. Binaries of test tools that the registry lacks for some
// platform are left out of the lock file instead.
test("every package in the lock file has an integrity", () => {
  expect(installed.length).toBeGreaterThan(100);
  expect(unproven.map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`)).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(entries.filter(([, { resolved }]) => resolved?.includes("://")).map(([path]) => path)).toEqual([]);
});

import { expect, test } from "bun:test";

interface Entry {
  version?: string;
  link?: true;
  dev?: true;
  optional?: true;
  integrity?: string;
  resolved?: string;
}

/**
 * Binaries of test tools for other systems than Linux on x64, written into the lock file without an integrity by an npm that could not reach
 * them. `npm start` installs none of them. Take an entry away when `npm view <package>@<version> dist.integrity` finds it; never add one.
 */
const WITHOUT_INTEGRITY = [
  "@foundry-rs/anvil-darwin-amd64@1.7.1",
  "@foundry-rs/anvil-darwin-arm64@1.7.1",
  "@foundry-rs/anvil-linux-arm64@1.7.1",
  "@foundry-rs/anvil-win32-amd64@1.7.1",
  "litesvm-darwin-arm64@1.5.0",
  "litesvm-darwin-x64@1.5.0",
  "litesvm-linux-arm64-gnu@1.5.0",
  "litesvm-linux-arm64-musl@1.5.0",
  "litesvm-linux-x64-musl@1.5.0",
];

const text = await Bun.file(new URL("../package-lock.json", import.meta.url).pathname).text();
const entries = Object.entries((JSON.parse(text) as { packages: Record<string, Entry> }).packages);
const installed = entries.filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
const unproven = installed.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""));

test("every package in the lock file has an integrity, except known binaries of test tools", () => {
  expect(installed.length).toBeGreaterThan(100);
  const names = unproven.map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`);
  expect(names.sort()).toEqual(WITHOUT_INTEGRITY);
});

test("a running server installs nothing without an integrity", () => {
  expect(unproven.filter(([, { dev, optional }]) => !(dev && optional)).map(([path]) => path)).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(entries.filter(([, { resolved }]) => resolved?.includes("://")).map(([path]) => path)).toEqual([]);
});

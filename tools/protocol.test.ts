import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ERRORS } from "@parley/protocol/errors";
import { EVENTS } from "@parley/protocol/events";
import { COMMANDS } from "@parley/protocol/realtime";
import { Glob } from "bun";
import { allRoutes } from "../packages/server/src/modules.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const read = (path: string) => Bun.file(join(ROOT, path)).text();

/** Clients are written against docs/reference/protocol.md, so it names everything in the protocol. */
describe("the protocol page", () => {
  test("names every route", async () => {
    const page = await read("docs/reference/protocol.md");
    const missing = allRoutes().filter(({ path }) => !page.includes(`\`${path}\``));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test("names every error code", async () => {
    const page = await read("docs/reference/protocol.md");
    expect(Object.keys(ERRORS).filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  test("names every event and command", async () => {
    const page = await read("docs/reference/protocol.md");
    const names = [...Object.keys(EVENTS), ...Object.keys(COMMANDS)];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

test("every citation of the protocol or of a guarantee names one that exists", async () => {
  const [protocol, guarantees] = [await read("docs/reference/protocol.md"), await read("docs/reference/guarantees.md")];
  const sections = new Set([...protocol.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number));
  const promises = new Set([...guarantees.matchAll(/^\| (P\d+) \|/gm)].map(([, number]) => number));
  expect([sections.size, promises.size]).toEqual([18, 31]);
  const broken: string[] = [];
  for (const path of new Glob("{packages,tools,bench,examples,docs,clients}/**/*.{ts,tsx,md,py}").scanSync({
    cwd: ROOT,
  })) {
    if (path.includes("node_modules")) continue;
    const text = await read(path);
    for (const [, numbers = ""] of text.matchAll(/protocol ((?:§\d+(?:, )?)+)/g)) {
      for (const [, number] of numbers.matchAll(/§(\d+)/g)) {
        if (!sections.has(number)) broken.push(`${path}: protocol §${number}`);
      }
    }
    for (const [, number] of text.matchAll(/guarantees (P\d+)/g)) {
      if (!promises.has(number)) broken.push(`${path}: guarantees ${number}`);
    }
  }
  expect(broken).toEqual([]);
});

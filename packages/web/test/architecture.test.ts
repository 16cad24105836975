import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";
import { cycles, isTest, readSources, type Source } from "../../server/test/support/sources.ts";

/**
 * The rooms of packages/web/src, lowest first: a room may import only the rooms before it. The application, the claim
 * page and the service worker are the roof; nothing imports them.
 */
const ROOMS = [
  "i18n",
  "ui",
  "state",
  "model",
  "session",
  "emoji",
  "markdown",
  "voice",
  "files",
  "wallets",
  "people",
  "notifications",
  "mail",
  "account",
  "welcome",
  "red-packets",
  "profile",
  "agents",
  "webhooks",
  "admin",
  "scheduled",
  "saved",
  "polls",
  "previews",
  "reminders",
  "composer",
  "messages",
  "channels",
  "catch-up",
  "navigation",
  "forwards",
  "app",
  "claim",
  "worker",
];
const ROOF = ["app", "claim", "worker"];
const FILES_MAX = 25;
/** Folders with one small file a feature, which nobody reads as a whole. */
const ONE_A_FEATURE = /\/i18n\/(?:hooks|\w+\/parts)$/;

const ROOT = join(import.meta.dir, "../../..");
const SRC = "packages/web/src";
const sources = (await readSources(ROOT)).filter(({ path }) => path.startsWith(`${SRC}/`) && !isTest(path));

const roomOf = (path: string): string => relative(SRC, path).split("/")[0] ?? "";

/** Returns why a file of one room may not import a file of another; undefined: it may. */
function orderProblem(from: string, to: string): string | undefined {
  const [source, target] = [ROOMS.indexOf(from), ROOMS.indexOf(to)];
  if (source === -1 || target === -1) return `${source === -1 ? from : to} is not in the list of rooms`;
  if (source === target) return undefined;
  if (ROOF.includes(to)) return `nothing imports ${to}`;
  return target < source ? undefined : `${from} is below ${to}: move the code down, or pass a callback`;
}

const targetsOf = ({ path, imports }: Source): string[] =>
  imports.filter((name) => name.startsWith(".")).map((name) => join(dirname(path), name));

test("a room of the web client imports only the rooms below it", () => {
  const problems = sources.flatMap((source) =>
    targetsOf(source).flatMap((target) => {
      const problem = orderProblem(roomOf(source.path), roomOf(target));
      return problem === undefined ? [] : [`${source.path} imports ${target}: ${problem}`];
    }),
  );
  expect(problems).toEqual([]);
  expect(sources.length).toBeGreaterThan(100);
});

test.each([
  ["ui", "state", "is below state"],
  ["model", "messages", "is below messages"],
  ["claim", "app", "nothing imports app"],
  ["channels", "novelties", "is not in the list"],
])("the order of rooms forbids %s to import %s", (from, to, reason) => {
  expect(orderProblem(from, to)).toContain(reason);
});

test("no files of the web client import each other in a circle, not even for types", () => {
  const graph = new Map(sources.map((source) => [source.path, targetsOf(source)]));
  expect(cycles(graph).map((way) => way.join(" -> "))).toEqual([]);
});

test("no folder of the web client holds more files than a reader can survey", () => {
  const counts = new Map<string, number>();
  for (const folder of sources.map(({ path }) => dirname(path)).filter((path) => !ONE_A_FEATURE.test(path)))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > FILES_MAX)).toEqual([]);
});

/** Returns the texts of the passive effects in a source, from `useEffect(` to its closing bracket. */
function effectsOf(code: string): string[] {
  return [...code.matchAll(/\buseEffect\(/g)].map(({ index }) => {
    let depth = 0;
    let end = index + "useEffect".length;
    do {
      if (code[end] === "(") depth += 1;
      if (code[end] === ")") depth -= 1;
      end += 1;
    } while (depth > 0 && end < code.length);
    return code.slice(index, end);
  });
}

// A passive effect runs later than the commit: it could take the focus from what a person has focused meanwhile, and that
// focus is lost if the element goes.
test("an element that appears takes the focus in a layout effect", () => {
  const isLate = (effect: string) => /\.focus\(/.test(effect) && !/addEventListener|requestAnimationFrame/.test(effect);
  const late = sources.filter(({ code }) => effectsOf(code).some(isLate)).map(({ path }) => relative(SRC, path));
  // An enlarged picture takes it, which is there already.
  expect(late).toEqual(["files/lightbox.tsx"]);
});

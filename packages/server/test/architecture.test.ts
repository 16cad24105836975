import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";
import { isSlice, layerProblem, roomOf } from "./support/layers.ts";
import { cycles, isTest, readSources, type Source } from "./support/sources.ts";
import { TIMED_TESTS } from "./support/timed-tests.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const sources = await readSources(ROOT);
const product = sources.filter((source) => source.path.startsWith("packages/") && !isTest(source.path));
const server = product.filter(({ path }) => path.startsWith("packages/server/src/"));

/** Each rule returns one line per breach that says what to do, so a failing test is a list of work. */
function breaches(of: readonly Source[], check: (source: Source) => readonly string[]): string[] {
  return of.flatMap((source) => check(source).map((text) => `${source.path}: ${text}`));
}

/** Resolves a relative import to a path in packages/server/src. */
function target(source: Source, specifier: string): string {
  return relative("packages/server/src", join(dirname(source.path), specifier));
}

test("the walk over the tree finds the product's files", () => {
  expect(server.map(({ path }) => path)).toContain("packages/server/src/main.ts");
  expect(server.length).toBeGreaterThan(60);
});

test("no layer imports a layer above it", () => {
  const found = breaches(server, (source) => {
    const from = relative("packages/server/src", source.path);
    const inside = source.imports.filter((specifier) => specifier.startsWith("."));
    return inside.flatMap((specifier) => layerProblem(from, target(source, specifier)) ?? []);
  });
  expect(found).toEqual([]);
});

test.each([
  ["db/transact.ts", "accounts/accounts.service.ts", "only the rooms below it"],
  ["logging/log.ts", "context.ts", "only the rooms below it"],
  ["accounts/accounts.service.ts", "channels/channels.service.ts", "only the rooms below it"],
  ["messages/append/append.ts", "gateway/gateway.ts", "only the rooms below it"],
  ["context.ts", "accounts/accounts.service.ts", "only the rooms below it"],
  ["main.ts", "server.ts", "only the rooms below it"],
  ["channels/channels.service.ts", "accounts/accounts.store.ts", "its store is its own"],
  ["accounts/accounts.store.ts", "accounts/accounts.service.ts", "a store holds SQL only"],
  ["accounts/accounts.store.ts", "context.ts", "the database as an argument"],
  ["accounts/accounts.routes.ts", "accounts/accounts.store.ts", "routes ask the service"],
  ["gateway/gateway.ts", "accounts/accounts.routes.ts", "only the slice's own module"],
  ["accounts/accounts.service.ts", "accounts/accounts.module.ts", "only modules.ts"],
  ["novelties/novelties.ts", "logging/log.ts", "belongs to no room"],
])("%s may not import %s", (from, to, reason) => {
  expect(layerProblem(from, to)).toContain(reason);
});

test("each table is written by one slice", () => {
  const writers = new Map<string, Set<string>>();
  for (const { path, code } of server) {
    const room = roomOf(relative("packages/server/src", path));
    if (!isSlice(room)) continue;
    for (const [, table = ""] of code.matchAll(/\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*"(\w+)"/g)) {
      writers.set(table, (writers.get(table) ?? new Set()).add(room));
    }
  }
  expect(writers.size).toBeGreaterThan(40);
  const shared = [...writers].filter(([, rooms]) => rooms.size > 1).map(([table, rooms]) => [table, [...rooms].sort()]);
  expect(Object.fromEntries(shared)).toEqual({
    // The log takes the next seq from the channel's row, whose lock orders messages and changes of the channel.
    channels: ["channels", "event-log"],
    // A message is its own event (docs/decisions/0003): the log appends the row, `messages` changes what is in it.
    messages: ["event-log", "messages"],
  });
});

test("no file imports itself through a cycle", () => {
  const graph = new Map(
    product.map(({ path, imports }) => [
      path,
      imports.filter((name) => name.startsWith(".")).map((name) => join(dirname(path), name)),
    ]),
  );
  expect(cycles(graph).map((way) => way.join(" -> "))).toEqual([]);
});

test("the check finds a cycle of imports", () => {
  const graph = new Map([
    ["a", ["b", "d"]],
    ["b", ["c"]],
    ["c", ["b"]],
    ["d", []],
  ]);
  expect(cycles(graph)).toEqual([["b", "c", "b"]]);
});

test("routes contain no SQL and do not use the database", () => {
  const routes = server.filter(({ path }) => path.endsWith(".routes.ts"));
  const found = breaches(routes, ({ imports }) =>
    imports
      .filter((name) => name === "kysely" || name.includes("/db/"))
      .map((name) => `imports ${name}; move that to a service`),
  );
  expect(found).toEqual([]);
});

test("only main.ts reads the environment", () => {
  const others = server.filter(({ path }) => !path.endsWith("/src/main.ts"));
  const found = breaches(others, ({ code }) =>
    /(?<!")\b(process|Bun)\.env\b|\bimport\.meta\.env\b/.test(code)
      ? ["reads the environment; add a field to Config instead"]
      : [],
  );
  expect(found).toEqual([]);
});

test("only clock.ts reads the time and random numbers", () => {
  const asks =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bperformance\.now\b|\bcrypto\.(random|getRandom)\w+|\brandom(Bytes|Int|UUID|FillSync)\b|\bBun\.(nanoseconds|randomUUIDv\d)\b/;
  const others = server.filter(({ path }) => !path.endsWith("/src/clock.ts"));
  const found = breaches(others, ({ code }) => {
    const match = asks.exec(code);
    return match === null ? [] : [`uses ${match[0]}; take it from ctx.clock, so that a test can decide it`];
  });
  expect(found).toEqual([]);
});

/** The only file that re-exports, name by name: what `@parley/sdk` exports. */
const PUBLIC_INTERFACE = ["packages/sdk/src/parley.ts", "packages/sdk/src/groups.ts"];

/** Files that send HTTP requests on their own: to addresses that the operator configured, never to a user's. */
const OWN_REQUESTS = [
  "packages/server/src/outgoing/send-request.ts", // the one for addresses that users name
  "packages/server/src/lookups/fetch-json.ts", // the APIs of the social networks in the settings
  "packages/server/src/accounts/oidc/provider-fetch.ts", // the identity provider in the settings
  "packages/server/src/chains/rpc/http.ts", // the chains' servers in the settings
  "packages/server/src/files/storage/s3-requests.ts", // the S3 server in the settings
  "packages/server/src/lookups/doctor.ts", // the same networks, on the operator's order
  "packages/server/src/command-line/packets.ts", // a URL on the operator's command line
  "packages/server/src/command-line/running-server.ts", // this machine's own server
];

test("only outgoing/ sends requests, except to addresses of the operator", () => {
  const client = /(?<![.\w])fetch\(|\b(?:sendNotification|XMLHttpRequest|WebSocket)\(/;
  const found = breaches(server, ({ path, code, imports }) => {
    if (OWN_REQUESTS.includes(path)) return [];
    const modules = imports.filter((name) => /^(?:node:)?https?2?$|^(?:undici|axios|got|node-fetch|ws)$/.test(name));
    const reason = "send it with outgoing/: an address that a user names may be one of this network";
    return [...modules.map((name) => `imports ${name}; ${reason}`), ...(client.test(code) ? [`sends; ${reason}`] : [])];
  });
  expect(found).toEqual([]);
});

test("no file has a default export, is a barrel or is a catch-all", () => {
  const found = breaches(product, ({ path, code }) => [
    ...(/^export default\b|\bas default\b/m.test(code) ? ["has a default export; name it"] : []),
    ...(!PUBLIC_INTERFACE.includes(path) && /^export (\*|(type )?\{[^}]*\}) from/m.test(code)
      ? ["re-exports another file; import from where it is"]
      : []),
    ...(/\/index\.tsx?$/.test(path) ? ["is a barrel by its name; name it after what it holds"] : []),
    ...(/\/(utils?|helpers?|common|misc)(\/|\.tsx?$)/.test(path)
      ? ["is a catch-all; move the function to its caller"]
      : []),
  ]);
  expect(found).toEqual([]);
});

test("relative imports name the file with its extension", () => {
  const found = breaches(product, ({ imports }) =>
    imports
      .filter((name) => name.startsWith(".") && !/\.(tsx?|json|css|html|svg|js|png|txt|md)$/.test(name))
      .map((name) => `imports ${name} without its ending`),
  );
  expect(found).toEqual([]);
});

test("packages import only the packages they may", () => {
  const allowed: Record<string, RegExp> = {
    protocol: /^typebox(\/|$)/,
    sdk: /^@parley\/protocol\//,
    web: new RegExp(
      "^(@parley/protocol/|@parley/sdk(/groups)?$|@noble/hashes/|react(-dom)?(/|$)|virtua$|mdast|micromark-|hast$|lowlight$|" +
        "highlight.js/lib/languages/|character-entities-html4$|emojibase-data/|@simplewebauthn/browser$)",
    ),
  };
  const found = breaches(product, ({ path, imports }) => {
    const name = path.split("/")[1] ?? "";
    const may = allowed[name];
    if (may === undefined) return [];
    const outside = imports.filter((specifier) => !specifier.startsWith(".") && !may.test(specifier));
    return outside.map((specifier) => `imports ${specifier}; ${name} may import only ${may.source}`);
  });
  expect(found).toEqual([]);
});

test("no file is longer than 300 lines", () => {
  const found = breaches(sources, ({ lines }) => (lines > 300 ? [`has ${lines} lines; split it into two files`] : []));
  expect(found).toEqual([]);
});

test("no test uses .only or waits a fixed time", () => {
  const tests = sources.filter(({ path }) => /\.test\.tsx?$/.test(path) && !path.endsWith("architecture.test.ts"));
  const found = breaches(tests, ({ code }) => [
    ...(/\b(test|it|describe)\.only\(/.test(code) ? ["has .only"] : []),
    ...(/\bBun\.sleep(Sync)?\(/.test(code) ? ["sleeps; wait for the condition"] : []),
  ]);
  expect(found).toEqual([]);
});

/** Returns the path of a test without its ending, and without what it needs: `x` of `x.test.ts` and `x.nodes.test.ts`. */
const stemOf = (path: string): string => path.replace(/(\.[a-z]+)?\.test\.tsx?$/, "");

test("a test measures no running time, unless it is of a promise with a time", () => {
  const measures = /\bperformance\.now\b|\bBun\.nanoseconds\b|\bhrtime\b|\bstopwatch\(|\bDate\.now\(\) - [a-z]/;
  const sleeps = /\bnew Promise(<\w+>)?\(\(?(\w+)\)? => (void )?setTimeout\(\2, (?!0\b)/;
  const tests = sources.filter(({ path }) => /\.test\.tsx?$/.test(path) && !path.endsWith("architecture.test.ts"));
  const isTimed = (path: string) => /\.time\.test\.tsx?$/.test(path) || stemOf(path) in TIMED_TESTS;
  const found = breaches(
    tests.filter(({ path }) => !isTimed(path)),
    ({ code }) => {
      const advice = "wait for a condition, use a clock of the test, or move it to a .time.test.ts";
      return [measures.exec(code)?.[0], sleeps.exec(code)?.[0]].flatMap((match) =>
        match === undefined ? [] : [`uses ${match}; ${advice}`],
      );
    },
  );
  expect(found).toEqual([]);
  const stems = new Set(tests.map(({ path }) => stemOf(path)));
  expect(Object.keys(TIMED_TESTS).filter((stem) => !stems.has(stem))).toEqual([]);
});

import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { eventually, startTestServer } from "../packages/server/test/support/servers/test-server.ts";
import { PUBLISHED, packPackages } from "./packed.ts";
import { nodeRuntimes } from "./runtimes.ts";

/** Installing takes some seconds, and several times as long on a busy machine. The timeout only ends a test that hangs. */

const ROOT = join(import.meta.dir, "..");
const folder = temporaryFolder();
let tarballs: readonly string[];

/** Runs a program in the folder of the user's project, and returns its exit code and output. */
async function run(...command: string[]) {
  const child = Bun.spawn(command, { cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, errors };
}

// The project of a user: an empty folder, with the tarballs and what else its program imports.
beforeAll(async () => {
  ({ tarballs } = packPackages());
  for (const file of ["package.json", "package-lock.json", "program.ts"]) {
    copyFileSync(join(import.meta.dir, "consumer", file), join(folder, file));
  }
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expect(await run("npm", "install", ...quiet, ...tarballs)).toMatchObject({ code: 0, errors: "" });
}, 240_000);

/** The first program of the sdk's README. Node 20 needs what the README says about it. */
async function program(runtime: string): Promise<string> {
  const readme = await Bun.file(join(ROOT, "packages/sdk/README.md")).text();
  const [, first = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const lines = `const [, , url, apiKey] = process.argv;\n${first}`;
  if (runtime !== "node20") return lines;
  const [, load = "", open = ""] =
    /```js\n(import \{ WebSocket \}.*?)\n\n(const realtime = .*?)\n```/s.exec(readme) ?? [];
  return `${load}\n${lines.replace("const realtime = client.realtime();", open)}`;
}

describe("the packed packages", () => {
  test("contain what npm's users need, and nothing else", async () => {
    for (const tarball of tarballs) {
      const { out } = await run("tar", "-tzf", tarball);
      const others = out
        .trim()
        .split("\n")
        .filter((path) => !/^package\/dist\/[\w/-]+\.(js|d\.ts)$/.test(path));
      expect(others.sort()).toEqual(["package/LICENSE", "package/README.md", "package/package.json"]);
    }
  });

  test("have the licence of the repository, and the sdk asks for the protocol of its own version", async () => {
    const licence = await Bun.file(join(ROOT, "LICENSE")).text();
    for (const name of PUBLISHED) expect(await Bun.file(join(ROOT, "packages", name, "LICENSE")).text()).toBe(licence);
    const { version, dependencies } = await Bun.file(join(ROOT, "packages/sdk/package.json")).json();
    expect(dependencies).toEqual({ "@parley/protocol": version });
  });

  test("run the README's program on every supported runtime", async () => {
    await using server = await startTestServer();
    const { apiKey } = await server.agent("Herald");
    const runtimes = [...nodeRuntimes(), { name: "bun", bin: "" }];
    expect(runtimes.map(({ name }) => name)).toEqual(["node20", "node22", "node24", "node26", "bun"]);
    for (const { name, bin } of runtimes) {
      const file = `${name}.js`;
      writeFileSync(join(folder, file), await program(name));
      const binary = name === "bun" ? process.execPath : join(bin, "node");
      const { code, out, errors } = await run(binary, file, server.url, apiKey);
      expect({ name, code, errors }).toEqual({ name, code: 0, errors: "" });
      const words = out
        .trim()
        .split("\n")
        .slice(-2)
        .map((line) => line.replace(/^\d+ /, ""));
      expect(words).toEqual(["ana: @Herald what is new?", "Herald: Hello ana, all is quiet."]);
    }
  });

  test("tell a program on Node 20 that opens a socket to pass a WebSocket", async () => {
    writeFileSync(
      join(folder, "no-socket.js"),
      'import { ParleyClient } from "@parley/sdk";\nnew ParleyClient({ url: "http://127.0.0.1:1" }).realtime();\n',
    );
    const node20 = nodeRuntimes()[0];
    const { code, errors } = await run(join(node20?.bin ?? "", "node"), "no-socket.js");
    expect(code).toBe(1);
    expect(errors).toContain("install the package ws");
  });
});

/** Node stops following a signal once it has collected the request as garbage (nodejs/undici#3644). */
const ABORTED_LATE = `import { AgentClient } from "@parley/sdk";
const [, , url, apiKey] = process.argv;
const agent = new AgentClient({ url, apiKey, name: "Herald" });
const stop = new AbortController();
const events = agent.events({ signal: stop.signal });
let isOpen = false;
const first = events.next().then(() => {
  isOpen = true;
});
await agent.login("general");
// What is said before the stream is open does not arrive.
while (!isOpen) await Promise.race([first, agent.send("general", "hello")]);
const ended = events.next();
// Over some turns of the event loop, in which the objects of the request become garbage.
for (let n = 0; n < 50; n++) {
  await new Promise((resolve) => setImmediate(resolve));
  gc();
}
stop.abort();
for (let step = await ended; !step.done; step = await events.next());
console.log("ended");
process.exit();
`;

test("an event stream ends with its signal on every supported Node, also after a garbage collection", async () => {
  await using server = await startTestServer();
  const { apiKey } = await server.agent("Herald");
  writeFileSync(join(folder, "late.js"), ABORTED_LATE);
  for (const { name, bin } of nodeRuntimes()) {
    const { code, out, errors } = await run(
      "timeout",
      "20",
      join(bin, "node"),
      "--expose-gc",
      "late.js",
      server.url,
      apiKey,
    );
    expect({ name, code, out, errors }).toEqual({ name, code: 0, out: "ended\n", errors: "" });
  }
});

test("the program of the guide answers a mention and ends when it is interrupted", async () => {
  await using server = await startTestServer();
  const { apiKey } = await server.agent("Echo");
  const guide = await Bun.file(join(ROOT, "docs/guide/typescript.md")).text();
  writeFileSync(join(folder, "guide.ts"), guide.split("```ts\n")[1]?.split("```")[0] ?? "");
  const node24 = nodeRuntimes().find(({ name }) => name === "node24")?.bin ?? "";
  const child = Bun.spawn([join(node24, "node"), "guide.ts"], {
    cwd: folder,
    env: { PARLEY_URL: server.url, PARLEY_KEY: apiKey },
    stdout: "pipe",
    stderr: "pipe",
  });
  const bob = await server.user("bob");
  await bob.post("/api/messages", { channel_slug: "general", content: "@Echo what is new?" });
  const said = async () => (await bob.get("/api/messages?channel_slug=general")).body.messages.at(-1).content;
  await eventually("the agent answers", async () => (await said()) === "bob, you said: @Echo what is new?");
  const pending = async () =>
    (await server.ctx.db.selectFrom("mentions").select("id").where("removed_at", "is", null).execute()).length;
  await eventually("the mention is acknowledged", async () => (await pending()) === 0);
  child.kill("SIGINT");
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
  expect(await child.stdout.text()).toBe(
    "Echo is in general.\nbob: @Echo what is new? -> bob, you said: @Echo what is new?\nEcho has left.\n",
  );
});

/** The part of the README about agents, as a module. */
async function agentProgram(): Promise<string> {
  const readme = await Bun.file(join(ROOT, "packages/sdk/README.md")).text();
  const [, , second] = readme.split("```ts\n");
  const code = second?.split("```")[0] ?? "";
  const head = `import { AgentClient } from "@parley/sdk";
declare const process: { once(signal: string, act: () => void): void };
declare const agent: AgentClient;
declare function think(context: string | undefined): Promise<string>;`;
  return `${head}\n${code}`;
}

describe("a program in TypeScript compiles against the packed types", () => {
  const strict = { strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true };
  const node = { ...strict, module: "nodenext", target: "es2022", lib: ["es2023"], types: ["node"] };
  const browser = {
    ...strict,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    types: [],
  };
  const own = join(ROOT, "node_modules/.bin/tsc");
  const oldest = "node_modules/.bin/tsc";
  // TypeScript 5.9 takes half a minute for the types of typebox. The last case checks those of a browser.
  const compilers = [
    ["TypeScript 5.9", oldest, "node", node],
    ["TypeScript 5.9", oldest, "browser", { ...browser, skipLibCheck: true }],
    ["the repository's", own, "node", node],
    ["the repository's", own, "browser", browser],
  ] as const;
  for (const [name, tsc, target, compilerOptions] of compilers) {
    test(`for ${target} by ${name}${compilerOptions.skipLibCheck ? "" : ", without skipLibCheck"}`, async () => {
      const config = `tsconfig.${target}.json`;
      writeFileSync(join(folder, "agent.ts"), await agentProgram());
      writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files: ["program.ts", "agent.ts"] }));
      expect(await run(tsc, "-p", config)).toEqual({ code: 0, out: "", errors: "" });
    });
  }
});

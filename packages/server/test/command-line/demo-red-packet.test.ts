import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseEther } from "viem";
import { temporaryFolder } from "../support/config.ts";
import { eventually } from "../support/servers/test-server.ts";

/** Runs the demo as a person starts it, and checks that it leaves nothing behind. */

const ROOT = join(import.meta.dir, "../../../..");

function demo(command: readonly string[]) {
  const folder = temporaryFolder();
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    TMPDIR: folder,
    // A user with this setting must not see their own database used.
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
    PARLEY_EVM_RPC_URL: "http://127.0.0.1:1",
  };
  const child = Bun.spawn([...command], { cwd: ROOT, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const said = { out: "", errors: "" };
  const reading = Promise.all([
    read(child.stdout, (text) => {
      said.out += text;
    }),
    read(child.stderr, (text) => {
      said.errors += text;
    }),
  ]);
  return { child, folder, said, reading };
}

async function read(stream: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) hear(decoder.decode(chunk, { stream: true }));
}

/** Its folder is deleted, and nothing listens on the ports of its chain and server. */
async function expectNothingLeft({ folder, said }: ReturnType<typeof demo>): Promise<void> {
  expect(readdirSync(folder).filter((name) => name.startsWith("parley-"))).toEqual([]);
  const urls = said.out.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];
  expect(urls.length).toBeGreaterThan(0);
  for (const url of urls) {
    await eventually(`nobody is at ${url}`, () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    );
  }
}

test("npm run demo:red-packet funds, claims and pays out, and the payouts sum to the packet", async () => {
  const run = demo(["npm", "run", "--silent", "demo:red-packet"]);
  expect([await run.child.exited, await run.reading, run.said.errors]).toEqual([0, [undefined, undefined], ""]);
  const { out } = run.said;
  const rows = [...out.matchAll(/^ +(\w+) +([\d.]+) ETH +([\d.]+) ETH +(-?[\d.]+) ETH$/gm)];
  const changes = new Map(rows.map(([, name = "", , , change = ""]) => [name, parseEther(change)]));
  expect([...changes.keys()]).toEqual(["ann", "bob", "cat", "dan", "treasury"]);
  const of = (name: string): bigint => changes.get(name) ?? 0n;
  expect(of("bob") + of("cat") + of("dan")).toBe(parseEther("0.3"));
  // The sender has paid the gas of her transfer and the treasury that of the payouts; the claimers paid nothing.
  expect(of("ann")).toBeLessThan(-parseEther("0.3"));
  expect(of("treasury")).toBeLessThan(0n);
  expect(out.match(/gas [\d.]+ ETH by the platform/g)).toHaveLength(3);
  for (const line of [
    /bob again: the same claim/,
    /seed +[0-9a-f]{64}$/m,
    /was split as promised/,
    /ok +payouts: nothing is owed/,
  ]) {
    expect(out).toMatch(line);
  }
  expect(out).not.toContain("PROBLEM");
  await expectNothingLeft(run);
});

test.each([
  ["SIGINT", 130, /Parley at http/],
  ["SIGTERM", 143, /Three claim/],
] as const)("npm run demo:red-packet cleans up after %s and exits with code %d", async (signal, code, moment) => {
  const run = demo([process.execPath, "examples/red-packet/main.ts"]);
  await eventually(`it says ${moment}`, () => moment.test(run.said.out), 60_000);
  run.child.kill(signal);
  expect(await run.child.exited).toBe(code);
  await run.reading;
  expect(run.said.out).toContain("Stopped");
  await expectNothingLeft(run);
});

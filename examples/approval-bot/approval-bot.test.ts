import { afterAll, beforeAll, expect, test } from "bun:test";
import { pressCard } from "../../packages/server/test/support/cards.ts";
import {
  type Client,
  eventually,
  startTestServer,
  type TestServer,
} from "../../packages/server/test/support/servers/test-server.ts";

let server: TestServer;
let ann: Client;
let bob: Client;
let apiKey: string;
beforeAll(async () => {
  server = await startTestServer();
  [ann, bob] = [await server.user("ann"), await server.user("bob")];
  ({ apiKey } = await server.agent("Shipper"));
}, 60_000);
afterAll(() => server[Symbol.asyncDispose](), 60_000);

/** Runs the example for a release, lets people press when it has asked, and returns its exit code and output. */
async function run(release: string, press: (id: number) => Promise<unknown>) {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/main.ts`, server.url, "general", "ann", "bob"], {
    env: { PATH: process.env.PATH ?? "", PARLEY_KEY: apiKey, RELEASE: release },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = async () => {
    const { body } = await ann.get("/api/messages?channel_slug=general&limit=50");
    return body.messages.find(({ content }: { content: string }) => content.includes(`**${release}**`));
  };
  const { id } = await eventually("the question is asked", said);
  await press(id);
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, errors };
}

test("the bot deploys after two approvals, and prints the receipt that it has verified", async () => {
  const { code, out, errors } = await run("2.4", async (id) => {
    await pressCard(ann, id, "approve");
    await pressCard(bob, id, "approve");
  });
  expect([errors, code]).toEqual(["", 0]);
  expect(out).toContain('"username": "ann"');
  expect(out).toContain('"signature": "');
  expect(out).toEndWith("deploying 2.4\n");
});

test("the bot does not deploy after a denial", async () => {
  const { code, out } = await run("2.5", async (id) => {
    await pressCard(ann, id, "approve");
    await pressCard(bob, id, "deny");
  });
  expect(code).toBe(1);
  expect(out).not.toContain("deploying");
});

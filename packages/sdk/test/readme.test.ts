import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";

const PACKAGE = join(import.meta.dir, "..");

test("the README's examples of options, lists and errors run", async () => {
  await using server = await startTestServer();
  const readme = await Bun.file(join(PACKAGE, "README.md")).text();
  // quickstart.test.ts runs the first block, and tools/published.packages.test.ts compiles the second.
  const [, , ...examples] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => `{\n${code}}`);
  expect(examples).toHaveLength(3);
  const program = `
    import { ParleyClient, ParleyError } from "@parley/sdk";
    const client = new ParleyClient({ url: ${JSON.stringify(server.url)} });
    await client.accounts.register({ username: "ana", password: "correct horse battery" });
    await client.channels.join(1);
    ${examples.join("\n")}
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { cwd: PACKAGE, stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, errors]).toEqual([0, ""]);
  expect(out).toContain("Good morning.\n1 false [");
});

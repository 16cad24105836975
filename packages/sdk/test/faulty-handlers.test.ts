import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";

test("handlers that throw or reject do not end the process, also without onError", async () => {
  await using server = await startTestServer();
  const program = `
    import { ParleyClient } from "@parley/sdk";
    const client = new ParleyClient({ url: ${JSON.stringify(server.url)} });
    const realtime = client.realtime();
    realtime.onEvent(() => { throw new Error("listener"); });
    realtime.onState(async () => { throw new Error("state listener"); });
    const fail = (name) => { throw new Error(name); };
    await new Promise((resolve) => client.subscribe(realtime, {
      channel: "general",
      onEvent: () => fail("onEvent"),
      onJoined: async () => fail("onJoined"),
      onReady: () => { resolve(); fail("onReady"); },
      onError: () => fail("onError"),
    }));
    await realtime.command("ping", {});
    realtime.close();
    console.log("alive");
  `;
  const cwd = join(import.meta.dir, "..");
  const child = Bun.spawn([process.execPath, "-e", program], { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, out]).toEqual([0, "alive\n"]);
  for (const name of ["listener", "state listener", "onError"]) expect(errors).toContain(`error: ${name}\n`);
});

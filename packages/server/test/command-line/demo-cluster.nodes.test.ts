import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { openPlace } from "../support/databases.ts";
import { freePort } from "../support/servers/child-server.ts";
import { RedisServer } from "../support/servers/redis-server.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

const ROOT = join(import.meta.dir, "../../../..");
const TIMEOUT_MS = 120_000;

/** Runs the demo as a person starts it. */
function demo(env: Record<string, string>) {
  const folder = temporaryFolder();
  const child = Bun.spawn(["npm", "run", "demo:cluster"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TMPDIR: folder, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = { out: "", errors: "" };
  const read = async (stream: ReadableStream<Uint8Array>, to: keyof typeof said) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) said[to] += decoder.decode(chunk, { stream: true });
  };
  const reading = Promise.all([read(child.stdout, "out"), read(child.stderr, "errors")]);
  return { child, said, reading, folder };
}

test(
  "the demo of a cluster says which service it cannot reach",
  async () => {
    const { child, said, reading } = demo({ DATABASE_URL: "postgres://parley:hunter2@127.0.0.1:1/parley" });
    expect(await child.exited).toBe(1);
    await reading;
    expect(said.errors).toContain("PostgreSQL cannot be used at postgres://parley@127.0.0.1:1/parley");
    expect(said.errors).toContain("DATABASE_URL");
    expect(said.errors).not.toContain("hunter2");
  },
  TIMEOUT_MS,
);

describe("with PostgreSQL and Redis", () => {
  test(
    "the demo of a cluster serves through its balancer, survives the end of a node, and leaves nothing running",
    async () => {
      await using place = await openPlace();
      await using redis = await RedisServer.start();
      const port = freePort();
      const { child, said, reading, folder } = demo({
        DATABASE_URL: place.url,
        REDIS_URL: redis.url,
        PORT: String(port),
      });
      const url = `http://127.0.0.1:${port}`;
      const isReady = () => {
        if (child.exitCode !== null) throw new Error(said.out + said.errors);
        return said.out.includes("Three nodes are ready");
      };
      await eventually("the nodes are ready", isReady, TIMEOUT_MS);
      expect(said.out).toContain(`${url}/`);
      const ann = await signUp(url, "ann");
      const victim = Number(/kill -9 (\d+)/.exec(said.out)?.[1]);
      process.kill(victim, "SIGKILL");
      await eventually("the node's end is reported", () => said.out.includes("node-1  ended"));
      // A kept connection may have led to the dead node.
      const page = new Client(url, { ...ann.credential, connection: "close" });
      const sent = await page.post("/api/messages", { channel_id: 1, content: "still here" });
      expect(sent.status).toBe(201);
      expect((await page.get("/api/messages?channel_id=1")).body.messages).toMatchObject([{ content: "still here" }]);
      child.kill("SIGINT");
      await child.exited;
      await reading;
      expect(said.out).toContain("node-3  ended (0)");
      expect(readdirSync(folder).filter((name) => name.startsWith("parley-"))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

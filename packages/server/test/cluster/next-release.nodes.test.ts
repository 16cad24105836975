import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { onPostgres, openPlace } from "../support/databases.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { RedisServer } from "../support/servers/redis-server.ts";
import { signUp } from "../support/servers/test-server.ts";

const NEXT_RELEASE = join(import.meta.dir, "../support/faults/killed-migration.ts");

describe("beside a node", () => {
  /** Opens the database as the next release does. */
  async function migrate(url: string, kind: "additions" | "removal"): Promise<number> {
    const env = { PATH: process.env.PATH ?? "" };
    return Bun.spawn([process.execPath, NEXT_RELEASE, url, "0", kind], { env, stdout: "ignore" }).exited;
  }

  test("a release that only adds migrates, and the node goes on and can start again", async () => {
    await using redis = await RedisServer.start();
    await using place = await openPlace();
    const env = { DATABASE_URL: place.url, REDIS_URL: redis.url };
    await using node = new ChildServer(temporaryFolder(), freePort(), env);
    await node.start();
    const ann = await signUp(node.url, "ann");
    const post = async (content: string) => (await ann.post("/api/messages", { channel_id: 1, content })).status;
    expect(await post("before")).toBe(201);
    expect(await migrate(place.url, "additions")).toBe(0);
    expect(await onPostgres("select name from probes", place.url)).toEqual([{ name: "one" }]);
    expect(await post("after")).toBe(201);
    expect(await node.end("SIGTERM")).toBe(0);
    await node.start();
    expect(await post("again")).toBe(201);
  });

  test("a release that removes a table waits until the node has drained, and a late one is refused", async () => {
    await using redis = await RedisServer.start();
    await using place = await openPlace();
    const env = { DATABASE_URL: place.url, REDIS_URL: redis.url };
    await using node = new ChildServer(temporaryFolder(), freePort(), env);
    await node.start();
    const migrating = migrate(place.url, "removal");
    expect(await node.ended()).toBe(0);
    expect(await migrating).toBe(0);
    expect(await onPostgres("select to_regclass('sticker_files') as it", place.url)).toEqual([{ it: null }]);
    await using late = new ChildServer(temporaryFolder(), freePort(), env);
    await expect(late.start()).rejects.toThrow("newer Parley");
  });
});

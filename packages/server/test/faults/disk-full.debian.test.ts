import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { SmallDisk } from "../support/faults/small-disk.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

/** A full disk (guarantees P19), beside the scenario `full-disk`: starts, metrics and commands. */
const RECOVERY_MS = 2_000;

describe("a full disk", () => {
  test.each([
    ["a new server", false],
    ["a server that was running before", true],
  ])("keeps %s from starting, and the message says so", async (_, stopped) => {
    using disk = new SmallDisk(8);
    await using server = new ChildServer(disk.path, freePort());
    if (stopped) {
      await server.start();
      expect(await server.end("SIGTERM")).toBe(0);
    }
    disk.fill();
    const child = server.spawn();
    const message = await new Response(child.stderr).text();
    expect(await child.exited).toBe(1);
    expect(message).toStartWith(`There is no space on the disk for ${join(disk.path, "parley.sqlite")}`);
    expect(message).toContain("Free some");
    disk.free();
    await server.start();
  });

  test("is announced by the metrics and the doctor before it is full, wherever the database is", async () => {
    using disk = new SmallDisk(16);
    const env = { DATABASE_URL: `sqlite:${join(disk.path, "chat.sqlite")}`, PARLEY_BLUESKY_API_URL: "off" };
    await using server = new ChildServer(temporaryFolder(), freePort(), { ...env, PARLEY_LOG_LEVEL: "fatal" });
    await server.start();
    disk.fill(1024 * 1024);
    const guest = new Client(server.url);
    const metrics = String((await guest.get("/metrics")).body);
    expect(metrics).toContain(`parley_disk_size_bytes ${16 * 1024 * 1024}\n`);
    const free = Number(/^parley_disk_free_bytes (\d+)$/m.exec(metrics)?.[1]);
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(1024 * 1024);
    // A server that can still write is not taken out of service early.
    expect((await guest.get("/readyz")).status).toBe(200);
    const { out } = await cliProcess(["doctor", "--json"], { PARLEY_DATA_DIR: temporaryFolder(), ...env });
    expect(JSON.parse(out).findings).toContainEqual(expect.objectContaining({ check: "disk", state: "problem" }));
  });

  test("is reported by commands that need space, also beside a server", async () => {
    using disk = new SmallDisk(8);
    const env = { PARLEY_DATA_DIR: disk.path };
    await using server = new ChildServer(disk.path, freePort(), { PARLEY_LOG_LEVEL: "fatal" });
    await server.start();
    disk.fill();
    const refused = await eventually("a command finds no room", async () => {
      const result = await cliProcess(["codes", "fill", "500"], env);
      return result.code === 0 ? null : result;
    });
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: `Database: SQLite file ${join(disk.path, "parley.sqlite")}\nThe disk is full. Free some space, then try again.\n`,
    });
    expect((await cliProcess(["key", "list"], env)).code).toBe(0);
  });

  test("does not keep a killed server from restarting for reads", async () => {
    using disk = new SmallDisk(8);
    await using server = new ChildServer(disk.path, freePort(), { PARLEY_LOG_LEVEL: "fatal" });
    await server.start();
    disk.fill();
    await server.end("SIGKILL");
    await server.start("/livez");
    const guest = new Client(server.url);
    expect((await guest.get("/api/channels")).status).toBe(200);
    // Nobody has tried to write, and still the server knows.
    expect(await guest.get("/readyz")).toMatchObject({ status: 503, body: { details: { reason: "storage_full" } } });
    disk.free();
    await eventually("it is ready", async () => (await guest.get("/readyz")).status === 200, RECOVERY_MS);
  });
});

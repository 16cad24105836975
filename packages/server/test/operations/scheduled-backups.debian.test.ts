import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupName, listBackups } from "../../src/operations/backups/backup-files.ts";
import { temporaryFolder } from "../support/config.ts";
import { SmallDisk } from "../support/faults/small-disk.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

const HOUR = 60 * 60_000;

async function metric(server: ChildServer, name: string): Promise<number | null> {
  const { body } = await new Client(server.url).get("/metrics");
  const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(String(body)) ?? [];
  return value === undefined ? null : Number(value);
}

describe("a full disk of backups", () => {
  test("keeps the old backups, counts the failure, and disturbs no message", async () => {
    const home = temporaryFolder();
    using disk = new SmallDisk(1);
    const old = backupName(Date.now() - 2 * HOUR);
    writeFileSync(join(disk.path, old), "an older backup");
    await using server = new ChildServer(join(home, "data"), freePort(), { PARLEY_BACKUP_DIR: disk.path });
    disk.fill();
    // The folder is writable when the server starts, and full when the backup is due.
    await server.start();
    await eventually(
      "the failure is counted",
      async () => (await metric(server, "parley_backup_failures_total")) === 1,
      30_000,
    );
    expect(listBackups(disk.path).map(({ path }) => path)).toEqual([join(disk.path, old)]);
    expect(readdirSync(disk.path).filter((name) => name.startsWith(".draft-"))).toEqual([]);
    const ann = await signUp(server.url, "ann");
    expect((await ann.post("/api/messages", { channel_slug: "general", content: "still here" })).status).toBe(201);
    expect(await metric(server, "parley_backup_age_seconds")).toBeGreaterThan(7_000);
  });
});

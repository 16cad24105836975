import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { FolderReplica } from "../src/replica/storage-folder.ts";
import { temporaryFolder } from "./support/config.ts";
import { restorePlainly } from "./support/replica/plain-restore.ts";
import { say } from "./support/say.ts";
import { eventually, startTestServer } from "./support/servers/test-server.ts";

test("smoke", async () => {
  const place = temporaryFolder();
  const data = temporaryFolder();
  for (let round = 0; round < 3; round++) {
  const server = await startTestServer({ dataDir: data, database: {kind: "sqlite", path: join(data, "parley.sqlite")}, replica: { kind: "folder", path: place }, logLevel: "info" });
  const ann = await server.newUser();
  const storage = new FolderReplica(place);
  const { channel_id } = (await ann.post("/api/channels", { name: `Room ${round}` })).body;
  for (let i = 0; i < 50; i++) await say(ann, channel_id, `hello ${i}`);
  await eventually("covered", async () => { const text = await server.ctx.metrics.render(); return /replica_state{state="on"} 1/.test(text) && /replica_waiting_bytes 0/.test(text); });
  console.log((await server.ctx.metrics.render()).split("\n").filter((l) => /^parley_replica/.test(l)).join("\n"));
  console.log((await storage.list("")).map((o) => `${o.name} ${o.bytes}`).join("\n"));
  const target = join(temporaryFolder(), "r.sqlite");
  console.log(await restorePlainly(storage, target));
  const restored = new Database(target);
  expect(restored.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  console.log(restored.query("select count(*) from messages").get());
  await server[Symbol.asyncDispose]();
  }
  const storage = new FolderReplica(place);
  console.log((await storage.list("")).map((o) => `${o.name} ${o.bytes}`).join("\n"));
});

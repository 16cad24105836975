import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { sweepFiles } from "../../src/files/sweep.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { temporaryFolder } from "../support/config.ts";
import { Client } from "../support/servers/test-server.ts";

const upload = (client: Client, text: string) => {
  const form = new FormData();
  form.set("file", new Blob([text]), "a.txt");
  return client.post("/api/files", undefined, { raw: form });
};
const send = (client: Client, id: number) =>
  client.post("/api/messages", { channel_slug: "general", file_ids: [id], content: "" });

describe("files of a cluster with a shared folder", () => {
  test("are served by every node, and by none once their message is deleted", async () => {
    const files = { kind: "folder", path: join(temporaryFolder(), "files") } as const;
    await using cluster = await startNodes(2, { bus: "memory", config: { files } });
    const [one, two] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
    const ann = await one.user("ann");
    const there = new Client(two.url, ann.credential);
    const { file } = (await upload(ann, "shared")).body;
    const sent = await send(there, file.file_id);
    expect(sent.status).toBe(201);
    for (const client of [ann, there]) expect((await client.get(file.url)).body).toBe("shared");
    const id = sent.body.chat_message.id ?? sent.body.chat_message.message_id;
    expect((await there.delete(`/api/messages/${id}`)).status).toBe(200);
    for (const client of [ann, there]) expect((await client.get(file.url)).status).toBe(404);
  });

  test("never lose bytes that a file needs, while others with the same bytes are removed and both nodes sweep", async () => {
    const path = join(temporaryFolder(), "files");
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const config = { files: { kind: "folder", path } as const };
    await using cluster = await startNodes(2, { bus: "memory", config, overrides: { clock } });
    const clients = await Promise.all(cluster.nodes.map((node, n) => node.user(`user${n}`)));
    const texts = ["same", "bytes", "again"];
    const kept: { client: Client; url: string; text: string }[] = [];
    for (let round = 0; round < 25; round++) {
      await Promise.all([
        ...cluster.nodes.map(({ ctx }) => sweepFiles(ctx)),
        ...clients.map(async (client, n) => {
          const text = texts[(round + n) % texts.length] ?? "";
          const answer = await upload(client, text);
          // While a sweep removes the bytes, an upload of the same waits; it may give up, but must not lie.
          if (answer.status !== 201) return void expect(answer.status).toBe(503);
          const { file } = answer.body;
          if (round % 5 === 4) kept.push({ client, url: file.url, text });
          else expect((await client.delete(file.url)).status).toBe(200);
        }),
      ]);
      now += 70_000;
      if (round % 5 !== 4) continue;
      for (const { client, url, text } of kept) expect((await client.get(url)).body).toBe(text);
      for (const { client, url } of kept.splice(0)) expect((await client.delete(url)).status).toBe(200);
    }
    for (let n = 0; n < 2; n++) {
      now += 120_000;
      for (const { ctx } of cluster.nodes) await sweepFiles(ctx);
    }
    for (const text of texts) {
      const hash = createHash("sha256").update(text).digest("hex");
      expect(existsSync(join(path, hash.slice(0, 2), hash.slice(2, 4), hash))).toBe(false);
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rescan } from "../../src/files/scanning.ts";
import { fileStorage } from "../../src/files/storage/open-storage.ts";
import { sweepFiles } from "../../src/files/sweep.ts";
import { uploadsRunning } from "../../src/files/upload/upload-slots.ts";
import { agedPass } from "../../src/retention/aged.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { type FakeClamd, startFakeClamd } from "../support/files/fake-clamd.ts";
import { S3_BUCKET, S3_KEY, sharedS3Server } from "../support/files/s3-server.ts";
import { SlowUpload } from "../support/files/slow-upload.ts";
import { newChannel } from "../support/new-channel.ts";
import { png } from "../support/pngs.ts";
import { type Client, eventually, PASSWORD, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const s3 = sharedS3Server();

/** What happens to bytes later: scans, removals, erasures, retention; in a folder and in a bucket. */
eachDatabase((name, open) => {
  describe.each(["folder", "bucket"])("with a %s", (place) => {
    const clock = datedClock();
    let clamd: FakeClamd;
    let server: TestServer;
    let ann: Client;
    beforeAll(async () => {
      clamd = await startFakeClamd();
      const bucket = async () => ({
        files: { kind: "s3", bucket: S3_BUCKET, prefix: `${name}/` } as const,
        s3Endpoint: (await s3()).endpoint,
        s3AccessKey: S3_KEY,
        s3SecretKey: S3_KEY,
      });
      const config = { clamav: clamd, ...(place === "bucket" ? await bucket() : {}) };
      server = await startTestServer(config, { database: await open(), clock });
      ann = await server.user("ann");
    }, 60_000);
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      await clamd[Symbol.asyncDispose]();
    }, 60_000);

    async function uploaded(bytes: string | Uint8Array, name = "a.txt", client = ann) {
      const form = new FormData();
      form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
      const answer = await client.post("/api/files", undefined, { raw: form });
      expect(answer.status).toBe(201);
      return answer.body.file;
    }
    const textOf = async ({ url }: { url: string }) => (await ann.get(url)).body;
    const stored = () => Array.fromAsync(fileStorage(server.ctx).list());

    test("a removal that hangs leaves bytes alone that were uploaded again meanwhile", async () => {
      const first = await uploaded("the same bytes");
      await ann.delete(`/api/files/${first.file_id}`);
      const storage = fileStorage(server.ctx);
      const hanging = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const { remove } = storage;
      storage.remove = async (key) => {
        begun.resolve();
        await hanging.promise;
        await remove.call(storage, key);
      };
      clock.ahead += 120_000;
      const sweep = sweepFiles(server.ctx);
      await begun.promise;
      storage.remove = remove;
      clock.ahead += 120_000;
      const second = await uploaded("the same bytes");
      await sweepFiles(server.ctx);
      hanging.resolve();
      await sweep;
      expect(second.sha256).toBe(first.sha256);
      expect(await textOf(second)).toBe("the same bytes");
      await ann.delete(`/api/files/${second.file_id}`);
      clock.ahead += 120_000;
      await sweepFiles(server.ctx);
      expect(await stored()).toEqual([]);
    });

    test("files that are lost do not keep others from the scanner", async () => {
      clamd.mode = "hang up";
      const files = [];
      for (let n = 0; n < 25; n++) files.push(await uploaded(`waits ${n}`));
      for (const { key } of await stored()) await fileStorage(server.ctx).remove(key);
      const readable = await uploaded("readable");
      clamd.mode = "honest";
      await rescan(server.ctx);
      expect((await ann.get(`/api/files/${readable.file_id}/record`)).body.file.status).toBe("ready");
      expect((await ann.get(`/api/files/${files[0].file_id}/record`)).body.file.status).toBe("scanning");
      for (const { file_id } of [...files, readable]) await ann.delete(`/api/files/${file_id}`);
      clock.ahead += 120_000;
      await sweepFiles(server.ctx);
    });

    test("an upload that ends after its account was deleted leaves nothing", async () => {
      const eve = await server.user("eve");
      using upload = new SlowUpload(eve);
      await eventually("the upload waits", () => [...uploadsRunning(server.ctx)].some(({ pace }) => pace.isWaiting));
      expect((await eve.delete("/api/user/eve", { body: { password: PASSWORD } })).status).toBe(200);
      upload.send("too late");
      upload.end();
      expect(await upload.answer).toMatch(/^HTTP\/1.1 401 .*"code":"session_required"/s);
      expect(await server.ctx.db.selectFrom("files").select("uploader_name").execute()).toEqual([]);
      expect(await stored()).toEqual([]);
    });

    test("retention removes bytes, previews, and what search and export knew of them", async () => {
      const { id } = await newChannel(ann);
      const files = [await uploaded(png(600, 500), "quartz.png"), await uploaded("quartz inside", "quartz.txt")];
      const file_ids = files.map(({ file_id }) => file_id);
      const sent = await ann.post("/api/messages", { channel_id: id, content: "quartz", file_ids });
      expect(sent.status).toBe(201);
      const found = async () => {
        await searchConsumer(server.ctx).flush();
        return (await ann.get(`/api/search/messages?q=quartz&channel_id=${id}`)).body.messages.length;
      };
      expect([await found(), (await stored()).length]).toEqual([1, 4]);
      await ann.put(`/api/channels/${id}`, { retention_days: 1 });
      clock.ahead += 3 * 86_400_000;
      await ann.post("/api/messages", { channel_id: id, content: "young" });
      for await (const _ of agedPass(server.ctx));
      clock.ahead += 120_000;
      await sweepFiles(server.ctx);
      expect(await stored()).toEqual([]);
      expect(await found()).toBe(0);
      for (const { url } of files)
        for (const path of [url, `${url}/preview`, `${url}/record`])
          expectError(await ann.get(path), 404, "file_not_found");
      expect((await ann.get(`/api/channels/${id}/files`)).body.files).toEqual([]);
      expect(JSON.stringify((await ann.get(`/api/channels/${id}/export?format=json`)).body)).not.toContain("quartz");
      for (const table of ["file_blobs", "file_removals", "files"] as const)
        expect(await server.ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
      const left = await server.ctx.db.selectFrom("file_usage").select("bytes").execute();
      expect(left.every(({ bytes }) => bytes === 0)).toBe(true);
    });
  });
});

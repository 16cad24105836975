import { expect, spyOn, test } from "bun:test";
import { fail } from "../../src/errors.ts";
import { fileStorage } from "../../src/files/storage/open-storage.ts";
import { openImport } from "../../src/imports/open/open.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { startFakeClamd } from "../support/files/fake-clamd.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const clamd = await forAllTests(startFakeClamd());
  const { host, port } = clamd;
  const config = { rateLimits: "off", clamav: { host, port } } as const;
  const server = await forAllTests(startTestServer(config, { database: await open() }));
  const { ctx } = server;

  test("an import ends while the storage of files does not answer, and takes the file when it is repeated", async () => {
    const note = { id: "F", name: "note.txt", mimeType: null, size: 6, alt: null, path: "F", url: null };
    const stage = memoryStage({
      users: [sourceUser("U1")],
      channels: [sourceChannel("C2", { name: "stored", memberIds: ["U1"] })],
      messages: [sourceMessage("m2", { channelId: "C2", files: [note] })],
    });
    const options = { format: "slack", fingerprint: "s", openFile: async () => new Blob(["stored"]).stream() } as const;
    {
      using store = spyOn(fileStorage(ctx), "store");
      store.mockRejectedValueOnce(fail("storage_unavailable"));
      await expect(writeImport(ctx, stage, options)).rejects.toMatchObject({ code: "storage_unavailable" });
    }
    const { importId, counts } = await writeImport(ctx, stage, options);
    expect(counts.files).toMatchObject({ taken: 1, left_out: 0 });
    await openImport(ctx, importId);
  });

  test("an import ends while the scanner does not answer, and takes the file when it is repeated", async () => {
    const note = { id: "F", name: "note.txt", mimeType: null, size: 5, alt: null, path: "F", url: null };
    const stage = memoryStage({
      users: [sourceUser("U1")],
      channels: [sourceChannel("C1", { memberIds: ["U1"] })],
      messages: [sourceMessage("m1", { files: [note] })],
    });
    const options = { format: "slack", fingerprint: "f", openFile: async () => new Blob(["hello"]).stream() } as const;
    clamd.mode = "hang up";
    await expect(writeImport(ctx, stage, options)).rejects.toMatchObject({ code: "overloaded" });
    clamd.mode = "honest";
    const { importId, counts } = await writeImport(ctx, stage, options);
    expect(counts.files).toMatchObject({ taken: 1, left_out: 0 });
    await openImport(ctx, importId);
    const { messages } = (await server.guest.get("/api/messages?channel_slug=c1")).body;
    expect((await server.guest.get(messages[0].files[0].url)).body).toBe("hello");
  });
});

import { expect, test } from "bun:test";
import { ImportRefused } from "../../src/imports/one-at-a-time.ts";
import { openImport } from "../../src/imports/open/open.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { openMigratedPlace, SERVER_DATABASES } from "../support/databases.ts";
import {
  manyMessages,
  memoryStage,
  sourceChannel,
  sourceMessage,
  sourceUser,
} from "../support/imports/memory-stage.ts";
import { startTestServer } from "../support/servers/test-server.ts";

test.each(SERVER_DATABASES)("on %s only one process works on imports at a time", async (name) => {
  await using place = name === "postgres" ? await openMigratedPlace() : undefined;
  const database = place === undefined ? {} : { database: { kind: "postgres", url: place.url } as const };
  await using server = await startTestServer({ rateLimits: "off", ...database });
  const { ctx } = server;
  const file = { id: "F", name: "a.txt", mimeType: null, size: 1, alt: null, path: "F", url: null };
  const stage = memoryStage({
    users: [sourceUser("U1")],
    channels: [sourceChannel("C1", { memberIds: ["U1"] })],
    messages: [sourceMessage("m", { files: [file] })],
  });
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const openFile = async () => {
    reached.resolve();
    await goOn.promise;
    return new Blob(["bytes"]).stream();
  };
  const writing = writeImport(ctx, stage, { format: "slack", fingerprint: "f1", openFile });
  await reached.promise;
  const other = { ...memoryStage(manyMessages(3)), workspace: { id: "T2", name: "Other" } };
  const refused = async (act: Promise<unknown>, words: string) => {
    const error = await act.then(
      () => null,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(ImportRefused);
    expect(String(error)).toContain(words);
  };
  await refused(writeImport(ctx, other, { format: "slack", fingerprint: "f2" }), "import 1 (Acme)");
  await refused(openImport(ctx, 1), "Another process");
  await refused(undoImport(ctx, 1), "Another process");
  goOn.resolve();
  const { importId } = await writing;
  // One that is written may wait while others are taken.
  const second = await writeImport(ctx, other, { format: "slack", fingerprint: "f2" });
  expect(second.counts.messages.taken).toBe(3);
  await openImport(ctx, importId);
  await undoImport(ctx, second.importId);
  await refused(openImport(ctx, second.importId), "was undone");
  const stop = () => {
    throw new Error("stopped");
  };
  await expect(writeImport(ctx, other, { format: "slack", fingerprint: "f3", progress: stop })).rejects.toThrow(
    "stopped",
  );
  await refused(writeImport(ctx, stage, { format: "slack", fingerprint: "f4" }), "is not finished");
  await refused(openImport(ctx, 3), "not written to its end");
  await undoImport(ctx, 3);
  await undoImport(ctx, 3);
});

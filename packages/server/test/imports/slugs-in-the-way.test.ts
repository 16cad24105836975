import { expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel } from "../support/imports/memory-stage.ts";
import { startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;

  test("a channel whose slug was taken before it is shown gets one that no other hidden channel has", async () => {
    const channels = [sourceChannel("C1", { name: "talk" }), sourceChannel("C2", { name: "talk" })];
    const stage = memoryStage({ users: [], channels, messages: [] });
    const { importId } = await writeImport(ctx, stage, { format: "slack", fingerprint: "f" });
    const ann = await server.newUser();
    expect((await ann.post("/api/channels", { name: "talk" })).status).toBe(201);
    await openImport(ctx, importId);
    const listed = (await ann.get("/api/channels")).body.channels;
    const slugs = listed.map(({ channel_slug }: { channel_slug: string }) => channel_slug);
    expect(slugs.toSorted()).toEqual(["general", "talk", "talk-2", "talk-3"]);
  });
});

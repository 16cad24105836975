import { expect, test } from "bun:test";
import { RATES } from "@parley/protocol/limits";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { upload } from "../support/files/sent-file.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forward } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const FILES = RATES.files.quota / 2;

/** Protocol §13.15: files of a forward count as uploads of the forwarder, who did not pay for the bytes. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "on", rateFactor: 1 }, { database: await open() }));
  const [ann, ben] = [await server.newUser(), await server.newUser()];
  const { id: room } = await newChannel(ann);
  const file_ids: number[] = [];
  for (let n = 0; n < FILES; n += 1) file_ids.push((await upload(ann, `bytes ${n}`)).body.file.file_id);
  const source = await sayId(ann, room, "with files", { file_ids });
  const filesOfBen = async () => {
    const rows = server.ctx.db.selectFrom("files").select("id").where("uploader_name", "=", ben.username);
    return (await rows.execute()).length;
  };

  test("each file of a forward counts, except in one that is refused", async () => {
    const scanning = (status: "ready" | "scanning") =>
      server.ctx.db
        .updateTable("files")
        .set({ status })
        .where("id", "=", file_ids[0] ?? 0)
        .execute();
    await scanning("scanning");
    expectError(await forward(ben, source, { channel_id: room }), 409, "file_not_ready");
    await scanning("ready");
    for (const client_msg_id of ["0", "1"])
      await eventually("what the refused one took is given back", async () => {
        const { status } = await forward(ben, source, { channel_id: room, client_msg_id });
        return status === 201;
      });
    const refused = await forward(ben, source, { channel_id: room });
    expectError(refused, 429, "rate_limited");
    expect(refused.headers.get("ratelimit-policy")).toStartWith('"files";');
    expect((await forward(ben, source, { channel_id: room, client_msg_id: "0" })).status).toBe(200);
    expect(await filesOfBen()).toBe(2 * FILES);
    expect((await forward(ben, await sayId(ann, room, "without"), { channel_id: room })).status).toBe(201);
  });
});

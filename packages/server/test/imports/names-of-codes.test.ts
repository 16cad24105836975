import { expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { openImport } from "../../src/imports/open/open.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eraseAll, SETTLE_MS } from "../../src/privacy/erasing.ts";
import { freeNames } from "../../src/setup-codes/ends.ts";
import { codeFor, LOOK, MINUTE_MS } from "../setup-codes/scene.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceUser } from "../support/imports/memory-stage.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const clock = stillClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const { ctx } = server;

  test("a code that has ended does not free the name that an import holds now", async () => {
    const ann = await server.newUser();
    const code = await codeFor(ann, "deploybot");
    clock.set(11 * MINUTE_MS);
    await transact(ctx, freeNames);
    const stage = memoryStage({
      users: [sourceUser("B1", { name: "deploybot", kind: "bot" })],
      channels: [],
      messages: [],
    });
    const { importId } = await writeImport(ctx, stage, { format: "slack", fingerprint: "f" });
    await transact(ctx, freeNames);
    const registered = await server.guest.post("/api/auth/register", { username: "deploybot", password: PASSWORD });
    expect(registered.body.code).toBe("username_taken");
    // Whoever tries the code still learns why it is refused.
    expect((await server.guest.post(LOOK, { code })).body.code).toBe("setup_code_expired");

    await ann.send("DELETE", `/api/user/${ann.username}`, { body: { password: PASSWORD } });
    clock.set(11 * MINUTE_MS + SETTLE_MS);
    await eraseAll(ctx);
    await openImport(ctx, importId);
    const names = await ctx.db.selectFrom("names").select("agent_id").where("name_key", "=", "deploybot").execute();
    expect(names).toEqual([{ agent_id: expect.any(Number) }]);
  });
});

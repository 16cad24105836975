import { expect, test } from "bun:test";
import { makeOperatorsLink } from "../../src/accounts/reset-links/reset-links.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceUser } from "../support/imports/memory-stage.ts";
import { type Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** What can be asked of an account by its name, or done to it. */
const BY_NAME: readonly (readonly [
  string,
  (by: Client, name: string) => Promise<{ status: number; body: unknown }>,
])[] = [
  ["stickers", (by, name) => by.get(`/api/stickers?username=${name}`)],
  ["status of keys", (by, name) => by.get("/api/agenthub/agent-api-key", { headers: { "x-username": name } })],
  ["profile", (by, name) => by.get(`/api/user/${name}`)],
  ["picture", (by, name) => by.get(`/api/avatars?usernames=${name}`)],
  ["proof of a wallet", (by, name) => by.post(`/api/user/${name}/wallets/challenge`, { chain: "evm" })],
  ["export", (by, name) => by.get(`/api/user/${name}/export`)],
  ["deletion", (by, name) => by.send("DELETE", `/api/user/${name}`, { body: { password: PASSWORD } })],
  ["suspension", (by, name) => by.put(`/api/admin/users/${name}`, { suspended_until: "2100-01-01T00:00:00.000Z" })],
  ["level", (by, name) => by.put(`/api/admin/users/${name}`, { admin_level: 1, current_password: PASSWORD })],
  ["reset link", (by, name) => by.post(`/api/admin/users/${name}/reset-link`, { current_password: PASSWORD })],
  ["second factor", (by, name) => by.delete(`/api/admin/users/${name}/second-factor`)],
  ["payments", (by, name) => by.get(`/api/admin/payments?username=${name}`)],
  ["log-in", (by, name) => by.post("/api/auth/login", { username: name, password: PASSWORD })],
];

/** What an answer says, apart from the name and the number of the request. */
const said = ({ body }: { body: unknown }): string =>
  JSON.stringify(body)
    .replaceAll("lola", "zora")
    .replace(/"request_id":"[^"]*"/, "");

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;
  const ruth = await staff(server, "ruth", 3);

  test("the name of a hidden account is held, and otherwise is like a name that nobody has", async () => {
    const stage = memoryStage({
      users: [sourceUser("U1", { name: "ZORA" })],
      channels: [sourceChannel("C1", { name: "hidden", memberIds: ["U1"] })],
      messages: [],
    });
    const { importId } = await writeImport(ctx, stage, { format: "slack", fingerprint: "f" });
    const bob = await server.newUser();
    for (const by of [bob, ruth, server.guest]) {
      for (const [what, ask] of BY_NAME) {
        const [hidden, nobody] = [await ask(by, "zora"), await ask(by, "lola")];
        expect([what, hidden.status, said(hidden)]).toEqual([what, nobody.status, said(nobody)]);
      }
    }
    await expect(makeOperatorsLink(ctx, "zora", "https://parley.test")).rejects.toMatchObject({
      code: "user_not_found",
    });
    const registration = { username: "zora", password: PASSWORD };
    expect((await server.guest.post("/api/auth/register", registration)).body.code).toBe("username_taken");

    const hidden = await ctx.db.selectFrom("channels").select("id").where("slug", "=", "hidden").executeTakeFirst();
    for (const held of [{ until: "2100-01-01T00:00:00.000Z", reason: "a lawsuit" }, { until: null }])
      expect((await ruth.put(`/api/admin/channels/${hidden?.id}/hold`, held)).body.code).toBe("channel_not_found");
    await undoImport(ctx, importId);
  });
});

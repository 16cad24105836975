import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { PUSH_SUBSCRIPTIONS_PER_USER } from "@parley/protocol/limits";
import { keepNotice } from "../../src/accounts/security-notices/security-notices.ts";
import { transact } from "../../src/db/transact.ts";
import { eachDatabase } from "../support/databases.ts";
import { pushKeys } from "../support/push-keys.ts";
import { logIn, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { SETTINGS } from "./at-once.ts";
import { AT_ONCE } from "./limit-rows.ts";

setDefaultTimeout(120_000);

/** Limits that drop the oldest never hold more than their number, whatever arrives at once. */
eachDatabase((_, open) => {
  let server: TestServer;
  beforeAll(async () => {
    const config = { ...SETTINGS, pushSubject: "mailto:operator@example.org" };
    server = await startTestServer(config, { database: await open() });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const atOnce = <T>(act: (n: number) => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => act(n)));
  const rowsOf = async (table: "push_subscriptions" | "security_notices" | "sessions", username: string) =>
    (
      await server.ctx.db
        .selectFrom(table)
        .innerJoin("users", "users.id", `${table}.user_id`)
        .select("users.id")
        .where("username", "=", username)
        .execute()
    ).length;

  test("push subscriptions of a user", async () => {
    const ann = await server.user("ann");
    const answers = await atOnce((n) =>
      ann.post("/api/push/subscriptions", { endpoint: `https://127.0.0.1:1024/${n}`, keys: pushKeys() }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await rowsOf("push_subscriptions", "ann")).toBe(PUSH_SUBSCRIPTIONS_PER_USER);
  });

  test("security notices of a user, of one kind and actor", async () => {
    await server.user("bob");
    const users = server.ctx.db.selectFrom("users").select("id");
    const { id: userId } = await users.where("username", "=", "bob").executeTakeFirstOrThrow();
    const notice = { userId, kind: "reset_link_made", by: "operator" } as const;
    for (let round = 0; round < 2; round++) await atOnce(() => transact(server.ctx, (ctx) => keepNotice(ctx, notice)));
    expect(await rowsOf("security_notices", "bob")).toBe(50);
  });

  test("sessions of a user", async () => {
    await server.user("cid");
    for (let round = 0; round < 2; round++) await atOnce(() => logIn(server.url, "cid"));
    expect(await rowsOf("sessions", "cid")).toBe(100);
  });
});

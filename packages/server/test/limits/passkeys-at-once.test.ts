import { expect, test } from "bun:test";
import { PASSKEYS_PER_USER } from "@parley/protocol/factors";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { SoftPasskey } from "../support/soft-passkey.ts";
import { AT_ONCE } from "./limit-rows.ts";

const ORIGIN = "https://chat.example.org";

/** A user has one challenge at a time, so the rows of the others are put into the database. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(
    startTestServer({ publicUrl: ORIGIN, rateLimits: "off" }, { database: await open() }),
  );

  test("of passkeys that a user adds at once, exactly the last permitted one is added", async () => {
    const ann = await server.user("ann");
    const add = (passkey: object, name: string) => ann.post("/api/auth/passkeys", { name, credential: passkey });
    const optionsFor = async () => (await ann.post("/api/auth/passkeys/options", {})).body.options;
    for (let n = 1; n < PASSKEYS_PER_USER; n++)
      expect((await add(new SoftPasskey(ORIGIN).register(await optionsFor()), `${n}`)).status).toBe(201);
    const { user, challenge } = await optionsFor();
    const { db } = server.ctx;
    const row = await db
      .selectFrom("passkey_challenges")
      .select(["user_id", "expires_at"])
      .where("challenge", "=", challenge)
      .executeTakeFirstOrThrow();
    const challenges = Array.from({ length: AT_ONCE }, (_, n) => Buffer.from(`challenge ${n}`).toString("base64url"));
    const rows = challenges.map((each) => ({ ...row, challenge: each }));
    await db.insertInto("passkey_challenges").values(rows).execute();
    const answers = await Promise.all(
      challenges.map((each, n) => add(new SoftPasskey(ORIGIN).register({ challenge: each, user }), `at once ${n}`)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(["passkey_limit_reached"]));
    expect(refused).toHaveLength(AT_ONCE - 1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findUserByName } from "../../src/accounts/accounts.store.ts";
import { makeOwner } from "../../src/accounts/operators-accounts.ts";
import { verifyPassword } from "../../src/accounts/passwords/passwords.ts";
import { newChannel } from "../support/new-channel.ts";
import { HOUSES, type House, openHouse } from "../support/rights/houses.ts";
import { during } from "../support/rights/slow-call.ts";
import { Client, logIn, PASSWORD } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const TAKEN = "a password of someone else";
const CHOSEN = "a password that its owner chose";

/** The four faults of the review: a right ends while a password is hashed, and the hash is stored all the same. */
describe.each([...HOUSES])("on %s, while a new password is hashed,", (kind) => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse(kind);
  }, 60_000);
  afterAll(() => house[Symbol.asyncDispose]());

  const hashOf = async (username: string) => (await findUserByName(house.here.ctx.db, username))?.password_hash ?? null;
  const opens = async (username: string, password: string) =>
    verifyPassword(house.there.ctx, password, await hashOf(username));

  test("an administrator does not set the password of a user who becomes an owner", async () => {
    const { here, there } = house;
    const admin = await staff(here, "warden", 2);
    await here.user("olga");
    const answer = await during(
      here,
      () => admin.put("/api/user/olga", { password: TAKEN }),
      () => makeOwner(there.ctx, "olga", CHOSEN, async () => null),
    );
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await opens("olga", CHOSEN)).toBe(true);
    expect((await admin.put("/api/user/olga", { password: TAKEN })).status).toBe(403);
  });

  test("a session that a reset link ends does not set the password", async () => {
    const { here, there, away } = house;
    const admin = await staff(here, "helper", 2);
    const thief = await here.user("vera");
    const link = await admin.post("/api/admin/users/vera/reset-link", {});
    const token = String(link.body.url).split("#")[1];
    const answer = await during(
      here,
      () => thief.put("/api/user/vera", { password: TAKEN }),
      () => new Client(there.url).post("/api/auth/reset", { token, password: CHOSEN }),
    );
    expect(answer).toMatchObject({ status: 401, body: { code: "session_required" } });
    expect(await opens("vera", CHOSEN)).toBe(true);
    expect((await away(thief).get("/api/auth/sessions")).status).toBe(401);
  });

  test("an admin who is removed from a private channel does not set its password", async () => {
    const { here, away } = house;
    const [owner, admin] = [await here.user("otto"), await here.user("adam")];
    const { id } = await newChannel(owner, { is_private: true });
    await owner.put(`/api/channels/${id}/members/adam`, { role: "admin" });
    const answer = await during(
      here,
      () => admin.put(`/api/channels/${id}`, { password: TAKEN }),
      () => away(owner).delete(`/api/channels/${id}/members/adam`),
    );
    expect(answer).toMatchObject({ status: 404, body: { code: "channel_not_found" } });
    expect((await admin.post(`/api/channels/${id}/join`, { password: TAKEN })).status).toBe(404);
  });

  test("a password of a channel that is replaced lets nobody in", async () => {
    const { here, away } = house;
    const [owner, guest] = [await here.user("oona"), await here.user("gus")];
    const { id } = await newChannel(owner, { is_private: true, password: TAKEN });
    const answer = await during(
      here,
      () => guest.post(`/api/channels/${id}/join`, { password: TAKEN }),
      () => away(owner).put(`/api/channels/${id}`, { password: CHOSEN }),
    );
    expect(answer).toMatchObject({ status: 403, body: { code: "wrong_password" } });
    expect((await guest.get(`/api/messages?channel_id=${id}`)).status).toBe(403);
  });

  test("an account that is erased keeps no new address and no hash", async () => {
    const { here, away } = house;
    const erin = await here.user("erin");
    const other = await logIn(here.url, "erin");
    const user = await findUserByName(here.ctx.db, "erin");
    const answer = await during(
      here,
      () => other.put("/api/user/erin", { password: TAKEN, email: "erin@example.org", current_password: PASSWORD }),
      () => away(erin).send("DELETE", "/api/user/erin", { body: { password: PASSWORD } }),
    );
    expect(answer.status).toBe(401);
    const left = await here.ctx.db
      .selectFrom("users")
      .select(["email", "password_hash", "evm_address"])
      .where("id", "=", user?.id ?? 0)
      .executeTakeFirst();
    expect(left).toEqual({ email: null, password_hash: null, evm_address: null });
  });

  test("a session that ends does not remove the authenticator app, and another password does not confirm", async () => {
    const { here, away } = house;
    const tom = await here.user("tom");
    const other = await logIn(here.url, "tom");
    const removing = await during(
      here,
      () => tom.post("/api/auth/totp", { current_password: PASSWORD }),
      () => away(other).delete("/api/auth/sessions"),
    );
    expect(removing).toMatchObject({ status: 401, body: { code: "session_required" } });
    const secrets = await here.ctx.db.selectFrom("totp_secrets").select("user_id").execute();
    expect(secrets).toEqual([]);
  });
});

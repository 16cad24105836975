import { expect, test } from "bun:test";
import type { UpdateUserBody } from "@parley/protocol/accounts";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase, type OpenFresh } from "../../../test/support/databases.ts";
import { createOwner } from "../../channels/newcomers.ts";
import type { AppContext } from "../../context.ts";
import { GUEST, type UserIdentity } from "../../http/identity.ts";
import { login, register } from "../accounts.service.ts";
import { authenticateSession } from "../sessions/sessions.ts";
import { REAUTH_MS, readAvatarBytes, readUser, updateUser } from "./profiles.service.ts";

const PASSWORD = "correct horse battery";
const origin = { address: "192.0.2.1", userAgent: null };
const EVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const codeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(() => "none").catch((error) => error.code ?? error);

async function start(open: OpenFresh) {
  const clock = stillClock();
  const database = await open(clock);
  const ctx = testContext(database, { clock });
  const signUp = async (username: string) => register(ctx, { username, password: PASSWORD, ...origin });
  /** Returns the session as a request would see it now. */
  const caller = async (ctx: AppContext, token: string): Promise<UserIdentity> => {
    const identity = await authenticateSession(ctx, token);
    if (identity === null) throw new Error("the session is over");
    return identity;
  };
  return { ctx, clock, signUp, caller, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

eachDatabase((_, open) => {
  test("an update stores the fields sent, clears those sent as null and keeps the rest", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const { identity } = await signUp("ann");
    const update = (input: UpdateUserBody) => updateUser(ctx, identity, "ann", input);
    const full = await update({
      email: "ann@example.org",
      avatar: GIF,
      evm_address: EVM.toLowerCase(),
      sol_address: "1".repeat(32),
    });
    expect(full).toMatchObject({
      username: "ann",
      email: "ann@example.org",
      avatar: GIF,
      evm_address: EVM,
      sol_address: "1".repeat(32),
      points: 100,
    });
    expect(await update({ email: null })).toEqual({ ...full, email: null });
    expect(await update({ avatar: null, evm_address: null, sol_address: null })).toEqual({
      ...full,
      email: null,
      avatar: null,
      evm_address: null,
      sol_address: null,
    });
    expect(await codeOf(update({}))).toBe("no_fields");
    expect(await codeOf(update({ current_password: PASSWORD }))).toBe("no_fields");
    // The response must not reveal that an address is in use.
    const bob = await signUp("bob");
    expect(await codeOf(updateUser(ctx, bob.identity, "bob", { email: "ANN@example.org" }))).toBe("none");
    expect(await codeOf(update({ email: "ann@example.org" }))).toBe("none");
  });

  test("an update with one invalid field changes nothing", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const { identity } = await signUp("ann");
    expect(await codeOf(updateUser(ctx, identity, "ann", { email: "a@b.co", evm_address: "0x0" }))).toBe(
      "invalid_evm_address",
    );
    expect(await codeOf(updateUser(ctx, identity, "ann", { email: "a@b.co", password: "short" }))).toBe(
      "weak_password",
    );
    expect(await readUser(ctx, identity, "ann")).toMatchObject({ email: null, evm_address: null });
  });

  test("only the user and administrators see the email and payout addresses, and only the user the invite code", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const ann = await signUp("ann");
    const bob = await signUp("bob");
    await updateUser(ctx, ann.identity, "ann", { email: "ann@example.org", evm_address: EVM });
    const own = await readUser(ctx, ann.identity, "ANN");
    expect(own).toMatchObject({ email: "ann@example.org", evm_address: EVM, invite_code: expect.any(String) });
    for (const caller of [GUEST, bob.identity, { ...bob.identity, adminLevel: 1 }]) {
      const seen = await readUser(ctx, caller, "ann");
      expect(seen).toMatchObject({ username: "ann", email: null, evm_address: null });
      expect(seen).not.toHaveProperty("invite_code");
    }
    const seen = await readUser(ctx, { ...bob.identity, adminLevel: 2 }, "ann");
    expect(seen).toMatchObject({ email: "ann@example.org", evm_address: EVM });
    expect(seen).not.toHaveProperty("invite_code");
  });

  test("after ten minutes passwords, payout addresses and email addresses require the current password, pictures do not", async () => {
    await using server = await start(open);
    const { ctx, clock, signUp, caller } = server;
    const { token } = await signUp("ann");
    const update = async (input: UpdateUserBody) => codeOf(updateUser(ctx, await caller(ctx, token), "ann", input));
    clock.advance(REAUTH_MS);
    expect(await update({ evm_address: EVM })).toBe("none");
    clock.advance(1);
    const secrets = [{ evm_address: null }, { sol_address: null }, { password: "another good one" }];
    for (const input of [...secrets, { email: "ann@example.org" }]) {
      expect(await update(input)).toBe("reauth_required");
    }
    expect(await update({ avatar: GIF })).toBe("none");
    expect(await update({ evm_address: null, current_password: "wrong" })).toBe("reauth_required");
    expect(await update({ evm_address: null, current_password: PASSWORD })).toBe("none");
    // The password was entered, which is valid for another ten minutes.
    expect(await update({ sol_address: null })).toBe("none");
  });

  test("a stolen session cannot be used to guess the password", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const { identity } = await signUp("ann");
    const guess = () => codeOf(updateUser(ctx, identity, "ann", { email: null, current_password: "wrong" }));
    for (let i = 0; i < 5; i += 1) expect(await guess()).toBe("reauth_required");
    expect(await guess()).toBe("rate_limited");
    expect(await codeOf(login(ctx, { username: "ann", password: PASSWORD, ...origin }))).toBe("none");
  });

  test("a new password ends all other sessions, and the old one no longer works", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const first = await signUp("ann");
    const second = await login(ctx, { username: "ann", password: PASSWORD, ...origin });
    await updateUser(ctx, second.identity, "ann", { password: "another good one" });
    expect(await authenticateSession(ctx, first.token)).toBeNull();
    expect(await authenticateSession(ctx, second.token)).not.toBeNull();
    expect(await codeOf(login(ctx, { username: "ann", password: PASSWORD, ...origin }))).toBe("invalid_credentials");
    expect(await codeOf(login(ctx, { username: "ann", password: "another good one", ...origin }))).toBe("none");
  });

  test("administrators can change lower accounts, and the audit log records it without the values", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const [ann, mod, admin, other, owner] = [
      await signUp("ann"),
      await signUp("mo"),
      await signUp("ad"),
      await signUp("ad2"),
      await signUp("ow"),
    ];
    const level = async (of: typeof ann, admin_level: number) => {
      await ctx.db.updateTable("users").set({ admin_level }).where("id", "=", of.identity.userId).execute();
      return { ...of.identity, adminLevel: admin_level };
    };
    const callers = [await level(mod, 1), await level(admin, 2), await level(owner, 3)] as const;
    await level(other, 2);
    const result = (caller: UserIdentity, username: string) =>
      codeOf(updateUser(ctx, caller, username, { email: `${caller.username}.${username}@x.org` }));
    expect(await result(ann.identity, "mo")).toBe("forbidden");
    expect(await result(ann.identity, "nobody")).toBe("user_not_found");
    expect(await Promise.all(["ann", "ad", "ow"].map((name) => result(callers[0], name)))).toEqual([
      "forbidden",
      "forbidden",
      "forbidden",
    ]);
    expect(await Promise.all(["ann", "mo", "ad2", "ow"].map((name) => result(callers[1], name)))).toEqual([
      "none",
      "none",
      "forbidden",
      "forbidden",
    ]);
    expect(await Promise.all(["ann", "ad2", "ow"].map((name) => result(callers[2], name)))).toEqual([
      "none",
      "none",
      "none",
    ]);
    // A password set by somebody else ends every session of the user.
    await updateUser(ctx, callers[1], "ann", { password: "set by the administrator" });
    expect(await authenticateSession(ctx, ann.token)).toBeNull();
    const log = await ctx.db
      .selectFrom("audit_log")
      .select(["actor", "action", "subject", "details"])
      .orderBy("id")
      .execute();
    expect(log).toHaveLength(5);
    expect(log[4]).toEqual({
      actor: "ad",
      action: "user_update",
      subject: `user:${ann.identity.userId}`,
      details: JSON.stringify({ fields: ["password"] }),
    });
  });

  test("an avatar is read by its tag", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const { identity } = await signUp("ann");
    const read = (known: string | null = null) => readAvatarBytes(ctx, GUEST, "ann", (etag) => etag === known);
    expect(await codeOf(read())).toBe("avatar_not_found");
    expect(await codeOf(readAvatarBytes(ctx, GUEST, "nobody", () => true))).toBe("user_not_found");
    await updateUser(ctx, identity, "ann", { avatar: GIF });
    const { etag, picture } = await read();
    expect(picture?.mimeType).toBe("image/gif");
    expect(Buffer.from(picture?.bytes ?? []).toString("base64")).toBe(GIF);
    expect(await read(etag)).toEqual({ etag, picture: null });
  });

  test("the first owner is given general; a promotion takes over the account of that name", async () => {
    await using server = await start(open);
    const { ctx, signUp } = server;
    const general = () =>
      ctx.db.selectFrom("channels").select(["id", "owner_id"]).where("slug", "=", "general").executeTakeFirstOrThrow();
    const squatter = await signUp("boss");
    expect(await createOwner(ctx, "Boss", "a password for the boss")).toEqual({
      username: "boss",
      created: false,
      ownsGeneral: true,
    });
    const { id, owner_id } = await general();
    expect(owner_id).toBe(squatter.identity.userId);
    expect(
      await ctx.db.selectFrom("channel_members").select(["user_id", "role"]).where("channel_id", "=", id).execute(),
    ).toEqual([{ user_id: squatter.identity.userId, role: "owner" }]);
    expect(await ctx.db.selectFrom("sessions").select("id").execute()).toEqual([]);
    expect(await codeOf(login(ctx, { username: "boss", password: PASSWORD, ...origin }))).toBe("invalid_credentials");
    expect(
      (await login(ctx, { username: "boss", password: "a password for the boss", ...origin })).user.admin_level,
    ).toBe(3);
    const left = await ctx.db.selectFrom("control_log").select(["kind", "subject"]).orderBy("kind").execute();
    expect(left).toContainEqual({ kind: "user_sessions_ended", subject: String(owner_id) });
    expect(left).toContainEqual({ kind: "channel_changed", subject: String(id) });

    expect(await createOwner(ctx, "second", PASSWORD)).toEqual({
      username: "second",
      created: true,
      ownsGeneral: false,
    });
    expect((await general()).owner_id).toBe(owner_id);
    expect(await codeOf(createOwner(ctx, "admin", PASSWORD))).toBe("invalid_username");
    expect(await codeOf(createOwner(ctx, "third", "short"))).toBe("weak_password");
  });
});

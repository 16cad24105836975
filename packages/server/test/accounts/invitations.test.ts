import { describe, expect, test } from "bun:test";
import { changeStanding } from "../../src/accounts/levels-and-suspensions.ts";
import { COMMAND_LINE } from "../../src/audit/audit.ts";
import { createOwner } from "../../src/channels/newcomers.ts";
import { beforeHash } from "../support/before-hash.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import {
  type Client,
  eventually,
  logIn,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

const INVITATIONS = "/api/invitations";
const DAY_MS = 86_400_000;
const register = ({ guest }: TestServer, username: string, invite_code?: string) =>
  guest.post("/api/auth/register", { username, password: "a long enough password", invite_code });
const make = async (who: Client, body: object = {}) => (await who.post(INVITATIONS, body)).body.invitation;

eachDatabase((_, open) => {
  test("of 20 registrations at once with an invitation for three, three pass, and each earns its maker the same", async () => {
    await using server = await startTestServer({ registration: "invite" }, { database: await open() });
    const ada = await firstUser(server);
    const before = (await ada.get("/api/user/ada/honor")).body.invite_count;
    const { code } = await make(ada, { uses_max: 3 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => register(server, `friend${n}`, code)));
    const codes = answers.map(({ status, body }) => (status === 201 ? "made" : body.code)).toSorted();
    expect(codes).toEqual([...Array(17).fill("invitation_used_up"), ...Array(3).fill("made")]);
    const [kept] = (await ada.get(INVITATIONS)).body.invitations;
    expect(kept).toMatchObject({ uses: 3, uses_max: 3, state: "used_up" });
    expect((await ada.get("/api/user/ada/honor")).body.invite_count).toBe(before + 3);
  });
});

/** Makes a user where nobody can register without a code. */
async function firstUser(server: TestServer): Promise<Client> {
  await createOwner(server.ctx, "ada", PASSWORD);
  return logIn(server.url, "ada");
}

describe("an invitation", () => {
  test("names its maker, makes accounts as often as it says, and pays like the maker's own code", async () => {
    await using server = await startTestServer({ registration: "invite" });
    const ada = await firstUser(server);
    const points = async () => (await ada.get("/api/user/ada")).body.points;
    const invitation = await make(ada, { days: 2, uses_max: 2 });
    expect(invitation).toMatchObject({ created_by: "ada", uses: 0, uses_max: 2, revoked_at: null, state: "open" });
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(2 * DAY_MS);
    const { body } = await server.guest.get(`${INVITATIONS}/${invitation.code.toLowerCase()}`);
    expect(body.invitation).toEqual({ username: "ada" });
    const then = await points();
    expect((await register(server, "bob", ` ${invitation.code.toLowerCase()} `)).status).toBe(201);
    expect(await points()).toBe(then + 10);
    expect((await register(server, "cleo", invitation.code)).status).toBe(201);
    expectError(await register(server, "dan", invitation.code), 410, "invitation_used_up");
    expectError(await server.guest.get(`${INVITATIONS}/${invitation.code}`), 410, "invitation_used_up");
    expect(await points()).toBe(then + 20);
  });

  test("is not used by a registration that fails", async () => {
    await using server = await startTestServer();
    const ada = await server.user("ada");
    const { code } = await make(ada);
    expectError(await register(server, "ADA", code), 409, "username_taken");
    expect((await ada.get(INVITATIONS)).body.invitations[0].uses).toBe(0);
    expect((await register(server, "bob", code)).status).toBe(201);
  });

  test("expires", async () => {
    const clock = datedClock();
    await using server = await startTestServer({}, { clock });
    const ada = await server.user("ada");
    const { code } = await make(ada, { days: 1 });
    clock.ahead = DAY_MS;
    expectError(await register(server, "bob", code), 410, "invitation_expired");
  });

  test("is revoked by its maker, also while a password is hashed", async () => {
    await using server = await startTestServer();
    const [ada, bob] = [await server.user("ada"), await server.user("bob")];
    const { code } = await make(ada);
    expectError(await bob.delete(`${INVITATIONS}/${code}`), 404, "invitation_not_found");
    beforeHash(server, () => ada.delete(`${INVITATIONS}/${code}`));
    expectError(await register(server, "cleo", code), 410, "invitation_revoked");
    const again = (await ada.delete(`${INVITATIONS}/${code}`)).body.invitation;
    expect(again).toEqual((await ada.get(INVITATIONS)).body.invitations[0]);
    expect(again.state).toBe("revoked");
    expect((await auditLines(server)).filter((line) => line.includes("invitation"))).toEqual([]);
  });

  test("of anybody is seen and revoked by administrators, which is audited", async () => {
    await using server = await startTestServer();
    const [ada, eve] = [await server.user("ada"), await staff(server, "eve", 2)];
    const [{ code }, own] = [await make(ada), await make(eve)];
    const all = (await eve.get("/api/admin/invitations?limit=1")).body;
    expect([all.invitations[0].code, all.has_more]).toEqual([own.code, true]);
    expect((await eve.get(INVITATIONS)).body.invitations.length).toBe(1);
    expect((await eve.delete(`${INVITATIONS}/${code}`)).body.invitation).toMatchObject({
      created_by: "ada",
      state: "revoked",
    });
    expect((await auditLines(server)).at(-1)).toStartWith("eve invitation_revoke user:");
  });

  test("of a suspended user does not work, and that of a deleted account is deleted", async () => {
    await using server = await startTestServer();
    const [ada, bob] = [await server.user("ada"), await server.user("bob")];
    const { code } = await make(ada);
    expect((await ada.get("/api/user/ada/export")).body.invitations[0].code).toBe(code);
    await changeStanding(server.ctx, COMMAND_LINE, "ada", { suspendedUntil: Date.now() + DAY_MS });
    expectError(await register(server, "cleo", code), 400, "invalid_invite_code");
    const other = await make(bob);
    expect((await bob.delete("/api/user/bob", { body: { password: PASSWORD } })).status).toBe(200);
    await eventually("the invitation is deleted", async () => {
      const { body } = await server.guest.get(`${INVITATIONS}/${other.code}`);
      return body.code === "invalid_invite_code";
    });
    const rows = () => server.ctx.db.selectFrom("invitations").select("code").execute();
    await eventually("its row, too", async () => !(await rows()).some((row) => row.code === other.code));
  });

  test("that ended is forgotten after 100 newer ones", async () => {
    await using server = await startTestServer();
    const ada = await server.user("ada");
    const open = await make(ada);
    for (let n = 0; n < 101; n += 1) {
      const { code } = await make(ada);
      await ada.delete(`${INVITATIONS}/${code}`);
    }
    const rows = await server.ctx.db.selectFrom("invitations").select("id").execute();
    // One that still works is kept, however old it is.
    expect(rows.length).toBe(101);
    expect((await register(server, "friend", open.code)).status).toBe(201);
  });

  test.each([{ days: 0 }, { days: 91 }, { uses_max: 0 }, { uses_max: 1_001 }])("is refused with %j", async (body) => {
    await using server = await startTestServer();
    expectError(await (await server.user("ada")).post(INVITATIONS, body), 400, "invalid_request");
  });
});

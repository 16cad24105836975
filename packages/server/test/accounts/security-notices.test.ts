import { describe, expect, test } from "bun:test";
import type { SecurityNotice } from "@parley/protocol/accounts";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { createOwner } from "../../src/channels/newcomers.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, setLevel, staff } from "../support/staff.ts";

const EVM = "0x52908400098527886E0F7030069857D2E4169EE7";
const SOL = "So11111111111111111111111111111111111111112";

/** Security notices to the owner of an account (protocol §2). */
eachDatabase(async (_, open) => {
  let count = 0;
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const ruth = await staff(server, "ruth", 2);

  const noticesOf = async (client: Client, query = ""): Promise<SecurityNotice[]> => {
    const { body } = await client.get(`/api/security-notices${query}`);
    return body.notices;
  };
  const kindsOf = async (client: Client, query = "") =>
    (await noticesOf(client, query)).map(({ kind, actor, actor_username }) => `${kind} ${actor_username ?? actor}`);

  describe("a malicious administrator", () => {
    test("setting another user's password ends their sessions and is recorded in a notice and the audit log", async () => {
      const ann = await server.newUser();
      await using socket = await LiveSocket.open(server.url, ann.credential);
      expect((await ruth.put(`/api/user/${ann.username}`, { password: "chosen by ruth" })).status).toBe(200);
      expect((await socket.whenClosed()).code).toBe(4401);
      expectError(await ann.get("/api/auth/sessions"), 401, "session_required");
      const again = await logIn(server.url, ann.username, "chosen by ruth");
      expect(await kindsOf(again)).toEqual(["new_device self", "password_changed ruth"]);
      expect((await auditLines(server)).at(-1)).toMatch(/^ruth user_update user:\d+$/);
    });

    test("setting another user's wallets and email address sends them notices at once and proves nothing", async () => {
      const ann = await server.newUser();
      await using socket = await LiveSocket.open(server.url, ann.credential);
      const body = { evm_address: EVM, sol_address: SOL, email: `${ann.username}@example.org` };
      const { user } = (await ruth.put(`/api/user/${ann.username}`, body)).body;
      expect(user).toMatchObject({ evm_address_proven: false, sol_address_proven: false, email_verified: false });
      await socket.settle();
      const heard = socket.all("security:notice").map(({ data }) => data.notice);
      expect(heard).toMatchObject([
        { kind: "email_changed", actor: "administrator", actor_username: "ruth", details: {} },
        { kind: "wallet_changed", actor_username: "ruth", details: { chain: "evm", address: EVM } },
        { kind: "wallet_changed", actor_username: "ruth", details: { chain: "solana", address: SOL } },
      ]);
      expect(await noticesOf(ann)).toEqual(heard.toReversed());
      // Repeating the change changes nothing and sends no notice.
      await ruth.put(`/api/user/${ann.username}`, body);
      expect(await noticesOf(ann)).toHaveLength(3);
    });

    test("suspending a user or giving them a level is recorded in notices that name the administrator", async () => {
      const ann = await server.newUser();
      const olga = await staff(server, `olga${++count}`, 3);
      const admin = (body: object) => olga.put(`/api/admin/users/${ann.username}`, body);
      await admin({ admin_level: 1 });
      await admin({ suspended_until: "2100-01-01T00:00:00.000Z" });
      await admin({ suspended_until: null });
      const notices = await noticesOf(await logIn(server.url, ann.username));
      expect(notices.filter(({ kind }) => kind !== "new_device")).toMatchObject([
        { kind: "suspension_ended", actor_username: olga.username },
        { kind: "suspended", details: { until: "2100-01-01T00:00:00.000Z" } },
        { kind: "level_changed", details: { from: null, to: 1 } },
      ]);
    });

    test("an owner of the site cannot take over another owner", async () => {
      const [olga, otto] = [await staff(server, `olga${++count}`, 3), await staff(server, `otto${++count}`, 3)];
      for (const body of [{ password: "chosen by olga" }, { evm_address: EVM }, { sol_address: null }]) {
        expectError(await olga.put(`/api/user/${otto.username}`, body), 403, "forbidden");
      }
      expect((await otto.put(`/api/user/${otto.username}`, { evm_address: EVM })).status).toBe(200);
    });
  });

  test("a user's own changes send notices, too, so that the thief of a session cannot make them in secret", async () => {
    const ann = await server.newUser();
    await ann.put(`/api/user/${ann.username}`, { password: "another good one", evm_address: EVM });
    expect(await kindsOf(ann)).toEqual(["wallet_changed self", "password_changed self"]);
  });

  test("a login from an unknown browser sends one notice for each kind of browser and network", async () => {
    const ann = await server.newUser();
    const login = (agent: string, cookie = "") =>
      server.guest.post(
        "/api/auth/login",
        { username: ann.username, password: PASSWORD },
        { headers: { "user-agent": agent, cookie } },
      );
    const first = await login("Firefox/1");
    await login("Firefox/1"); // without the cookie, like programs
    await login("Firefox/2", first.headers.getSetCookie().at(-1)?.split(";")[0]); // the same browser, updated
    await login("Chrome/1");
    await server.guest.post("/api/auth/login", { username: ann.username, password: "wrong horse" });
    const notices = await noticesOf(ann);
    expect(notices.map(({ kind, details }) => [kind, details.user_agent])).toEqual([
      ["new_device", "Chrome/1"],
      ["new_device", "Firefox/1"],
    ]);
    expect(notices[0]?.details.network).toBeString();
  });

  test("the first login of an owner made at the command line is no new browser, and the second is", async () => {
    const username = `owner${++count}`;
    await createOwner(server.ctx, username, PASSWORD);
    const first = await logIn(server.url, username);
    expect(await kindsOf(first)).toEqual([]);
    await logIn(server.url, username);
    expect(await kindsOf(first)).toEqual(["new_device self"]);
  });

  test("a new key of an agent notifies its verified owner, whoever created it", async () => {
    const ann = await server.newUser();
    const { agent_id, key_id, api_key } = await issueKey(server.ctx, { ownerUsername: ann.username });
    const agent = new Client(server.url, { authorization: `Bearer ${api_key}` });
    const { body } = await agent.post("/api/agenthub/agent-api-key/rotate", {});
    expect(await noticesOf(ann)).toMatchObject([
      { kind: "api_key_issued", actor: "self", details: { agent_id, key_id: body.key_id } },
      { kind: "api_key_issued", actor: "operator", details: { agent_id, key_id } },
    ]);
  });

  test("a notice of a promotion at the command line names the operator", async () => {
    const ann = await server.newUser();
    await createOwner(server.ctx, ann.username, "a new password for it");
    const again = await logIn(server.url, ann.username, "a new password for it");
    expect(await kindsOf(again)).toEqual(["new_device self", "level_changed operator", "password_changed operator"]);
  });

  test("dismissed notices leave the list on all devices, and remain in the full list and in the copy of the user's data", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    for (const client of [ann, bob]) {
      for (const evm_address of [EVM, null, EVM]) await client.put(`/api/user/${client.username}`, { evm_address });
    }
    await using socket = await LiveSocket.open(server.url, ann.credential);
    const [newest, middle, oldest] = await noticesOf(ann);
    const dismissed = await ann.post("/api/security-notices/dismiss", { up_to_notice_id: middle?.notice_id });
    expect(dismissed.body).toMatchObject({ success: true, up_to_notice_id: middle?.notice_id });
    expect((await socket.next("security:dismissed")).data).toEqual({ up_to_notice_id: middle?.notice_id });
    expect(await noticesOf(ann)).toEqual([newest] as SecurityNotice[]);
    const all = await noticesOf(ann, "?include_dismissed=true");
    expect(all.map(({ dismissed_at }) => dismissed_at === null)).toEqual([true, false, false]);
    const copy = (await ann.get(`/api/user/${ann.username}/export`)).body;
    expect(copy.security_notices).toEqual(all);
    expect(await noticesOf(bob)).toHaveLength(3);

    const { body } = await ann.get("/api/security-notices?include_dismissed=true&limit=2");
    expect(body).toMatchObject({ has_more: true, next_before: middle?.notice_id, limit: 2 });
    const rest = await noticesOf(ann, `?include_dismissed=true&before=${body.next_before}`);
    expect(rest.map(({ notice_id }) => notice_id)).toEqual([oldest?.notice_id ?? 0]);
    expectError(await ann.post("/api/security-notices/dismiss", {}), 400, "invalid_request");
  });

  test("the newest fifty notices of each kind and actor are kept, so that a flood cannot push out others", async () => {
    const ann = await server.newUser();
    await ruth.put(`/api/user/${ann.username}`, { evm_address: EVM });
    for (let i = 0; i < 55; i += 1) {
      await ann.put(`/api/user/${ann.username}`, { evm_address: i % 2 === 0 ? EVM : null });
      await ruth.put(`/api/user/${ann.username}`, { email: `ann${i}@example.org` });
    }
    const rows = await server.ctx.db
      .selectFrom("security_notices as notice")
      .innerJoin("users", "users.id", "notice.user_id")
      .select(["notice.kind", "notice.actor"])
      .where("users.username", "=", ann.username)
      .execute();
    const countOf = (kind: string, actor: string) =>
      rows.filter((row) => row.kind === kind && row.actor === actor).length;
    expect(countOf("wallet_changed", "administrator")).toBe(1);
    expect(countOf("wallet_changed", "self")).toBe(50);
    expect(countOf("email_changed", "administrator")).toBe(50);
  });

  test("the name of an erased administrator is removed from others' notices", async () => {
    const ann = await server.newUser();
    const admin = await staff(server, `gone${++count}`, 2);
    await admin.put(`/api/user/${ann.username}`, { email: "a@example.org" });
    await setLevel(server, admin.username, null);
    await admin.delete(`/api/user/${admin.username}`, { body: { password: PASSWORD } });
    expect(await kindsOf(ann)).toEqual(["email_changed deleted-user"]);
  });
});

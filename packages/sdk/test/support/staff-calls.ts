import { expect, test } from "bun:test";
import { changeStanding } from "../../../server/src/accounts/levels-and-suspensions.ts";
import { COMMAND_LINE } from "../../../server/src/audit/audit.ts";
import { importPerson, linksOf, makeImport } from "../../../server/test/support/imports/people.ts";
import { PASSWORD } from "../../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../../src/client.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

/** The calls of moderators and administrators, and of users on their own data. */
export function staffCalls(calls: RecordedCalls): void {
  const { person } = calls;

  async function administrator(username: string): Promise<ParleyClient> {
    const client = await person(username);
    await changeStanding(calls.server.ctx, COMMAND_LINE, username, { adminLevel: 2 });
    await client.accounts.login({ username, password: PASSWORD });
    return client;
  }

  test("calls for moderation and administration return what the server stored", async () => {
    const [ana, ben] = [await person("ana"), await person("ben")];
    const ruth = await administrator("ruth");
    const { channel_id } = await ana.channels.create({ name: "Tea" });
    const { ban } = await ana.channels.ban(channel_id, { username: "ben", reason: "noise" });
    expect((await ana.channels.bans(channel_id)).bans).toEqual([ban]);
    await expect(ben.channels.join(channel_id)).rejects.toMatchObject({ code: "banned", details: { until: null } });
    expect((await ana.channels.liftBan(channel_id, "ben")).name).toBe("ben");

    const { message_id } = await ben.messages.send({ channel_id, content: "rude" });
    await ana.messages.report(message_id, "rude");
    const { reports } = await ruth.admin.reports({ status: "open" });
    const closed = await ruth.admin.closeReport(reports[0]?.report_id ?? 0, { status: "resolved" });
    expect(closed.report).toMatchObject({ message_id, handled_by: "ruth" });

    await ana.channels.delete(channel_id);
    expect((await ruth.admin.channels({ deleted: true })).channels.map(({ id }) => id)).toEqual([channel_id]);
    expect((await ruth.admin.restoreChannel(channel_id)).channel.owner_username).toBe("ana");
    const hold = { until: "2999-01-01T00:00:00.000Z", reason: "a lawsuit" };
    expect((await ruth.admin.holdChannel(channel_id, hold)).held_until).toBe(hold.until);
    await ruth.admin.holdChannel(channel_id, { until: null, reason: "settled" });
    const { version } = (await ruth.admin.site()).site;
    expect((await ruth.admin.updateSite({ name: "Harbour", version })).site.name).toBe("Harbour");
    const { code } = (await ruth.accounts.makeInvitation({ days: 1 })).invitation;
    for (const list of [ruth.accounts.invitations(), ruth.admin.invitations()]) {
      expect((await list).invitations.map((invitation) => invitation.code)).toContain(code);
    }
    expect((await ruth.accounts.revokeInvitation(code)).invitation.state).toBe("revoked");
    expect((await ruth.admin.setup()).steps).toMatchObject({ people: true, channel: true });
    const suspended_until = "2999-01-01T00:00:00.000Z";
    expect((await ruth.admin.updateUser("ben", { suspended_until })).user).toMatchObject({ suspended_until });
    expect((await ruth.admin.users({ suspended: true })).users.map(({ username }) => username)).toEqual(["ben"]);
    const { entries } = await ruth.admin.audit({ actor: "ruth" });
    expect(entries.map(({ action }) => action)).toEqual([
      "user_suspend",
      "site_update",
      "channel_hold",
      "channel_hold",
      "channel_restore",
      "report_close",
    ]);

    const { api_key, agent } = await ruth.agents.create({ agent_name: "Rover", owner_username: "ana" });
    expect([typeof api_key, agent.owner_username]).toEqual(["string", "ana"]);
    expect((await ruth.admin.agents({ prefix: "ro" })).agents[0]).toMatchObject({
      agent_names: ["Rover"],
      paused: false,
    });
    const { agent_id } = agent;
    await ruth.agents.setBudgets(agent_id, { ceilings: { messages_per_day: 5 } });
    expect((await ruth.agents.budgets(agent_id)).budgets).toMatchObject([{ budget: "messages_per_day", limit: 5 }]);
    expect((await ruth.agents.usage(agent_id)).usage).toEqual([]);

    expect(await ana.accounts.identities()).toMatchObject({ identities: [], has_password: true });
    await expect(ana.accounts.linkIdentity()).rejects.toMatchObject({ code: "oidc_disabled" });
    await expect(ana.accounts.unlinkIdentity(1)).rejects.toMatchObject({ code: "identity_not_found" });
    expect((await ruth.admin.removeSecondFactors("ana")).removed).toEqual({ totp: false, passkeys: 0 });
    const { url } = await ruth.admin.makeResetLink("ana");
    const token = new URL(url).hash.slice(1);
    // The server of these tests sends no mail; packages/server/test/mail has the rest.
    await expect(ruth.mail.invite({ email: "eve@example.org" })).rejects.toMatchObject({ code: "mail_off" });
    await expect(ana.mail.askForConfirmation()).rejects.toMatchObject({ code: "mail_off" });
    await expect(ana.mail.forgotPassword("ana")).rejects.toMatchObject({ code: "mail_off" });
    await expect(ana.mail.own()).rejects.toMatchObject({ code: "mail_off" });
    expect(await ruth.mail.health()).toMatchObject({ waiting: 0, oldest_due_at: null, last_problem: null, failed: 0 });
    await expect(ana.mail.unsubscribe("A".repeat(43))).rejects.toMatchObject({ code: "unsubscribe_unknown" });
    await expect(ana.mail.confirm("A".repeat(43))).rejects.toMatchObject({ code: "confirm_link_expired" });
    await ana.accounts.resetPassword({ token, password: "another-password-1" });
    await expect(ana.accounts.sessions()).rejects.toMatchObject({ code: "session_required" });
  });

  test("calls for exports and the erasure of an account return what the server stored", async () => {
    const [ana, ben] = [await person("ana"), await person("ben")];
    await ana.channels.leave(1);
    const { channel_id } = await ana.channels.create({ name: "Tea" });
    const own = await new Response(await ana.accounts.exportUser("ana")).json();
    expect(own).toMatchObject({ user: { username: "ana" }, memberships: [{ channel_id }], complete: true });
    const copy = await new Response(await ana.channels.export(channel_id, { format: "json" })).json();
    expect(copy).toMatchObject({ channel: { id: channel_id }, complete: true });
    await expect(ana.accounts.deleteUser("ana", PASSWORD)).rejects.toMatchObject({ code: "owns_channels" });
    await ben.accounts.deleteUser("ben", PASSWORD);
    await expect(ben.accounts.sessions()).rejects.toMatchObject({ code: "session_required" });
  });

  test("calls for imports and the links of their accounts return what the server stored", async () => {
    const ruth = await administrator("ruth");
    const importId = await makeImport(calls.server.ctx);
    await importPerson(calls.server.ctx, importId, { username: "nora" });
    const token = (await linksOf(calls.server.ctx, importId)).get("nora") ?? "";
    const gone = ruth.imports.oldLink("https://acme.slack.com/archives/C1/p1577836800000100");
    await expect(gone).rejects.toMatchObject({ code: "message_not_found", status: 404 });
    const { imports } = await ruth.imports.list({ import_id: importId });
    expect(imports).toMatchObject([{ import_id: importId, workspace: "Harbour", unclaimed: 1 }]);
    expect(await Array.fromAsync(ruth.imports.list())).toMatchObject([{ username: "nora", suspended: false }]);
    const nora = new ParleyClient({ url: calls.server.url });
    expect(await nora.imports.accountOfLink(token)).toMatchObject({ username: "nora", channels: [] });
    await expect(nora.imports.claimBySignOn(token)).rejects.toMatchObject({ code: "oidc_disabled" });
    const { user } = await nora.imports.claimAccount({ token, password: PASSWORD });
    expect(user).toEqual({ username: "nora", admin_level: null });
    expect((await nora.accounts.sessions()).sessions).toHaveLength(1);
  });

  test("calls for payouts return what the server stored", async () => {
    const ruth = await administrator("ruth");
    expect(await ruth.admin.payouts({ limit: 1 })).toMatchObject({ payouts: [], has_more: false, limit: 1 });
    await expect(ruth.admin.retryPayout(1)).rejects.toMatchObject({ code: "payout_not_found", status: 404 });
  });
}

import { describe, expect, test } from "bun:test";
import { cli } from "../support/cli.ts";
import { importAgent, importPerson, makeImport } from "../support/imports/people.ts";
import { Client, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines } from "../support/staff.ts";

describe("imported accounts from the command line", () => {
  test("import links prints a CSV of links, which work at the server", async () => {
    await using server = await startTestServer({ registration: "closed" });
    const env = { PARLEY_DATA_DIR: server.config.dataDir, PARLEY_PUBLIC_URL: "https://chat.example.org" };
    const importId = await makeImport(server.ctx);
    await importPerson(server.ctx, importId, { username: "nora", email: "nora@example.org" });
    await importPerson(server.ctx, importId, { username: "odd", email: '=cmd,"x"' });
    await importPerson(server.ctx, importId, { username: "gone", isSuspended: true });
    const { code, out, err } = await cli(["import", "links", String(importId)], env);
    expect(code).toBe(0);
    const lines = out.split("\r\n");
    expect(lines[0]).toBe("username,address,url");
    const [, token = ""] = /^nora,nora@example\.org,https:\/\/chat\.example\.org\/claim-account#([\w-]{43})$/.exec(
      lines[1] ?? "",
    ) ?? [""];
    expect(lines[2]).toStartWith("odd,,https://");
    expect(lines.slice(3)).toEqual([""]);
    expect(err).toContain("2 links");
    expect(err).not.toContain("PARLEY_PUBLIC_URL");
    expect(await auditLines(server)).toEqual([`command line import_links import:${importId}`]);
    const claimed = await server.guest.post("/api/auth/account-claim/password", { token, password: PASSWORD });
    expect(claimed.status).toBe(200);

    const again = JSON.parse((await cli(["import", "links", String(importId), "--days", "3", "--json"], env)).out);
    expect(again.links).toMatchObject([{ username: "odd", email: null, url: expect.stringContaining("#") }]);
    const days = (Date.parse(again.expires_at) - server.ctx.clock.now()) / 86_400_000;
    expect([days > 2.99, days <= 3]).toEqual([true, true]);
  });

  test("import links warns that links without a public address lead to this machine only", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    const importId = await makeImport(server.ctx);
    await importPerson(server.ctx, importId, { username: "nora" });
    const { code, out, err } = await cli(["import", "links", String(importId)], env);
    expect([code, out.split("\r\n").length]).toEqual([0, 3]);
    expect(err).toContain("1 link. Each works once");
    expect(err).toContain("lead to this machine only, because PARLEY_PUBLIC_URL is not set");
  });

  test("import links says that nobody is waiting for a link", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    const importId = await makeImport(server.ctx);
    await importPerson(server.ctx, importId, { username: "gone", isSuspended: true });
    const { code, out, err } = await cli(["import", "links", String(importId)], env);
    expect([code, out]).toEqual([0, "username,address,url\r\n"]);
    expect(err.split("\n").slice(1)).toEqual(["Nobody is waiting for a link.", ""]);
  });

  test("import links says what is wrong with its arguments", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    const closed = await makeImport(server.ctx, { status: "closed" });
    expect(await cli(["import", "links", "77"], env)).toMatchObject({ code: 1, out: "" });
    expect((await cli(["import", "links", String(closed)], env)).err).toContain("not open");
    for (const args of [["x"], ["1", "--days", "0"], ["1", "--days", "91"], ["1", "--days", "soon"]])
      expect((await cli(["import", "links", ...args], env)).code).toBe(2);
    expect(await auditLines(server)).toEqual([]);
  });

  test("user reset works for an imported account, too", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    await importPerson(server.ctx, await makeImport(server.ctx), { username: "nora" });
    const { reset_url } = JSON.parse((await cli(["user", "reset", "nora", "--json"], env)).out);
    const redeem = { token: reset_url.split("#")[1], password: PASSWORD };
    expect((await server.guest.post("/api/auth/reset", redeem)).status).toBe(200);
    const nora = await logIn(server.url, "nora");
    expect((await nora.get("/api/user/nora")).body.claimed).toBe(true);
  });

  test("key issue --claim-import gives an imported agent its first key, once", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    await server.user("ann");
    const agentId = await importAgent(server.ctx, await makeImport(server.ctx), "Rover");
    const issue = (...args: string[]) => cli(["key", "issue", ...args, "--json"], env);
    expect((await issue("--agent", "Rover")).err).toContain("has this name");
    expect((await issue("--agent", "Nobody", "--claim-import")).err).toContain("No import made an agent");
    expect((await issue("--agent", "Rover", "--claim-import", "--owner", "nobody-here")).code).toBe(1);
    const made = await issue("--agent", "rover", "--claim-import", "--owner", "ann", "--scopes", "read,send");
    expect(made.code).toBe(0);
    const { api_key, ...rest } = JSON.parse(made.out);
    expect(rest).toMatchObject({ agent_id: agentId, agent_name: "Rover" });
    const rover = new Client(server.url, { authorization: `Bearer ${api_key}` });
    const sent = await rover.post("/api/agenthub/send", {
      agent_name: "Rover",
      channel_slug: "general",
      message: "back",
    });
    expect(sent.status).toBe(201);
    const ann = await logIn(server.url, "ann");
    const { agents } = (await ann.get("/api/agents")).body;
    expect(agents).toMatchObject([{ agent_id: agentId, owner_verified: true, paused: false }]);
    const { notices } = (await ann.get("/api/security-notices")).body;
    expect(notices.map(({ kind }: { kind: string }) => kind)).toContain("api_key_issued");
    expect((await issue("--agent", "Rover", "--claim-import")).err).toContain("has had a key");
    expect(await auditLines(server)).toEqual([expect.stringMatching(/^command line key_issue key:\w+$/)]);
  });
});

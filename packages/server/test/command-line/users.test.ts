import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { challengeOf, setUpApp } from "../support/authenticator-app.ts";
import { cli } from "../support/cli.ts";
import { logIn, startTestServer } from "../support/servers/test-server.ts";
import { auditLines } from "../support/staff.ts";

const NEW = "a staple and a battery";

describe("accounts from the command line, beside a server where nobody may register", () => {
  test("user create makes an account with a password that is a member of general", async () => {
    await using server = await startTestServer({ registration: "closed" });
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    const made = await cli(["user", "create", "ann", "--json"], env, `${NEW}\n`);
    expect([made.code, JSON.parse(made.out)]).toEqual([0, { username: "ann", reset_url: null, expires_at: null }]);
    const ann = await logIn(server.url, "ann", NEW);
    const { channels } = (await ann.get("/api/channels")).body;
    expect(channels).toMatchObject([{ name: "general", my_role: "member" }]);
    expect((await cli(["user", "create", "ann"], env, `${NEW}\n`)).err).toContain("taken");
    expect((await cli(["user", "create", "bob"], env, "short\n")).err).toContain("characters");
    expect(await auditLines(server)).toEqual([expect.stringMatching(/^command line user_create user:\d+$/)]);
  });

  test("user create --link makes one without a password, and user reset replaces the link", async () => {
    await using server = await startTestServer({ registration: "closed" });
    const env = { PARLEY_DATA_DIR: server.config.dataDir, PARLEY_PUBLIC_URL: "https://chat.example.org" };
    const made = await cli(["user", "create", "ann", "--link"], env);
    expect(made.code).toBe(0);
    const [, first = ""] = /^https:\/\/chat\.example\.org\/reset#([\w-]{43})\n/.exec(made.out) ?? [];
    const login = (password: string) => server.guest.post("/api/auth/login", { username: "ann", password });
    expect((await login("")).status).toBe(400);
    expect((await login(NEW)).body.code).toBe("invalid_credentials");

    const again = JSON.parse((await cli(["user", "reset", "ann", "--json"], env)).out);
    expect(again).toMatchObject({ username: "ann", expires_at: expect.any(String) });
    const redeem = (token: string) => server.guest.post("/api/auth/reset", { token, password: NEW });
    expect((await redeem(first)).status).toBe(410);
    expect((await redeem(again.reset_url.split("#")[1])).status).toBe(200);
    expect((await login(NEW)).status).toBe(200);
    const unknown = await cli(["user", "reset", "nobody-here"], env);
    expect([unknown.code, unknown.out]).toEqual([1, ""]);
  });

  test("user reset-factors lets a user in who has lost their authenticator app", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    await setUpApp(await server.user("ann"), systemClock);
    expect(await challengeOf(server.guest, "ann")).toBeString();
    const reset = await cli(["user", "reset-factors", "ann"], env);
    expect([reset.code, reset.out]).toEqual([
      0,
      "Removed an authenticator app and 0 passkeys of ann. The password alone logs in now.\n",
    ]);
    await logIn(server.url, "ann");
    expect((await cli(["user", "reset-factors", "ann"], env)).out).toBe("ann had no second factor.\n");
    expect((await cli(["user", "reset-factors", "nobody-here"], env)).code).toBe(1);
    expect(await auditLines(server)).toContainEqual(expect.stringMatching(/^command line \w+ user:\d+$/));
  });

  test("a link is for the server on this machine when there is no public address", async () => {
    await using server = await startTestServer();
    await server.user("ann");
    const { port } = new URL(server.url);
    const env = { PARLEY_DATA_DIR: server.config.dataDir, PORT: port, HOST: "0.0.0.0" };
    expect((await cli(["user", "reset", "ann"], env)).out).toStartWith(`http://127.0.0.1:${port}/reset#`);
  });
});

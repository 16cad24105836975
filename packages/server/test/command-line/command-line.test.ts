import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Readable } from "node:stream";
import manifest from "../../package.json" with { type: "json" };
import type { Invocation } from "../../src/command-line/command.ts";
import { COMMANDS } from "../../src/command-line/commands.ts";
import { askNewPassword } from "../../src/command-line/password.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { Client, cookieOf, eventually, startTestServer } from "../support/servers/test-server.ts";

describe("the command line", () => {
  test("prints every command with --help and exits 0, and exits 2 without a command", async () => {
    const { code, out } = await cli(["--help"], {});
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) {
      expect(out).toContain(name);
      expect(out).toContain(summary);
    }
    // As it looks on a terminal.
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(await cli([], {})).toEqual({ code: 2, out, err: "" });
  });

  test.each(COMMANDS.map(({ name }) => [name]))("explains %s with --help, whatever the settings", async (name) => {
    const { code, out } = await cli([...name.split(" "), "--help"], { PARLEY_NONSENSE: "1" });
    expect(code).toBe(0);
    expect(out).toContain(`Usage: npm run parley -- ${name}`);
  });

  test.each([
    ["an unknown command", ["dance"], "There is no command"],
    [
      "an unknown command of a group",
      ["key", "lst", "--json"],
      'There is no command "key lst". See: npm run parley -- key --help',
    ],
    ["a missing argument", ["key", "revoke"], "<key_id> is missing"],
    ["an extra argument", ["key", "list", "all"], "an unexpected argument"],
    ["an unknown option", ["key", "list", "--jsno"], "Unknown option '--jsno'"],
    ["an option that belongs to another command", ["serve", "--json"], "Unknown option '--json'"],
    ["an agent without a name", ["key", "issue"], "--agent <name> is missing"],
  ])("exits 2 for %s and says so", async (_, args, text) => {
    const { code, out, err } = await cli(args, { PARLEY_DATA_DIR: temporaryFolder() });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(text);
    expect(err).not.toContain(" at ");
  });

  test.each([[["--version"]], [["version"]]])("prints its version with %p", async (args) => {
    const { code, out } = await cli(args, { PARLEY_NONSENSE: "1" });
    expect({ code, out }).toEqual({ code: 0, out: `${manifest.version}\n` });
    expect((await cli(["version", "--json"], {})).out).toBe(`{"version":"${manifest.version}"}\n`);
  });

  test("accepts options before the command", async () => {
    const { code, out } = await cli(["--json", "key", "list"], { PARLEY_DATA_DIR: temporaryFolder() });
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { keys: [] } });
  });

  test("exits 1 with every problem and no stack if the settings are unusable", async () => {
    const { code, err } = await cli(["key", "list"], { PORT: "x", PARLEY_GUEST_READ: "x" });
    expect(code).toBe(1);
    expect(err).toBe(
      "The settings are invalid:\n  - PORT must be an integer from 0 to 65535\n  - PARLEY_GUEST_READ must be true or false\n",
    );
  });
});

describe("owner create", () => {
  test("creates an owner who can log in and owns general; a second owner does not get it", async () => {
    const env = { PARLEY_DATA_DIR: temporaryFolder() };
    const first = await cli(["owner", "create", "ada", "--json"], env, "correct horse battery\n");
    expect(first.err).toEndWith("No server is running on this database.\n");
    expect(JSON.parse(first.out)).toEqual({ username: "ada", admin_level: 3, created: true, owns_general: true });
    const second = await cli(["owner", "create", "bob"], env, "correct horse battery\n");
    expect(second.out).not.toContain("general");

    await using server = await startTestServer({ dataDir: env.PARLEY_DATA_DIR });
    const login = await server.guest.post("/api/auth/login", { username: "ada", password: "correct horse battery" });
    expect(login.body.user).toEqual({ username: "ada", admin_level: 3 });
    const { body } = await server.guest.get("/api/channels");
    expect(body.channels[0]).toMatchObject({ name: "general", owner_username: "ada" });
  });

  test.each([
    ["a weak password", "ada", "short\n", "characters"],
    ["no password", "ada", "", "There is no password"],
    ["a reserved name", "admin", "correct horse battery\n", "username"],
  ])("refuses %s", async (_, name, input, text) => {
    const { code, err } = await cli(["owner", "create", name], { PARLEY_DATA_DIR: temporaryFolder() }, input);
    expect(code).toBe(1);
    expect(err).toContain(text);
  });

  test("asks for the password twice on a terminal without showing it", async () => {
    const asked = terminal("hunter2xx\x7f\r", "hunter2x\r");
    expect(await askNewPassword(asked.call)).toBe("hunter2x");
    expect(asked.shown).toBe("Password: \nAgain: \n");
    expect(asked.raw).toEqual([true, false, true, false]);
  });

  test("changes nothing after two different passwords or Ctrl-C", async () => {
    await expect(askNewPassword(terminal("hunter2x\r", "hunter3x\r").call)).rejects.toThrow("The passwords differ");
    const stopped = terminal("hun\x03");
    await expect(askNewPassword(stopped.call)).rejects.toThrow("Cancelled");
    await eventually("the terminal shows what is typed again", () => stopped.raw.at(-1) === false);
  });
});

/** A terminal on which somebody types one answer after each question. */
function terminal(...answers: string[]): { call: Invocation; shown: string; raw: boolean[] } {
  const stdin = new Readable({ read() {} });
  const state = { call: {} as Invocation, shown: "", raw: [] as boolean[] };
  Object.assign(stdin, { isTTY: true, setRawMode: (on: boolean) => state.raw.push(on) });
  state.call = {
    stdin: stdin as unknown as NodeJS.ReadStream,
    err(text: string) {
      state.shown += text;
      if (text.endsWith(": ")) stdin.push(answers.shift() ?? "");
    },
  } as Invocation;
  return state;
}

describe("the key commands", () => {
  test("issue, use, list and revoke a key beside a running server, which refuses it within 2 s", async () => {
    await using server = await startTestServer();
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    await server.user("ada");
    const issued = await cli(["key", "issue", "--agent", "Weather Bot", "--owner", "ada", "--json"], env);
    const record = JSON.parse(issued.out);
    expect(record).toEqual({
      api_key: expect.stringMatching(/^ply_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/),
      key_id: expect.any(String),
      agent_id: expect.any(Number),
      agent_name: "Weather Bot",
    });

    const agent = new Client(server.url, { authorization: `Bearer ${record.api_key}` });
    const send = () =>
      agent.post("/api/agenthub/send", { channel_slug: "general", message: "hi", agent_name: "Weather Bot" });
    expect((await send()).status).toBe(201);

    const listed = await cli(["key", "list", "--json"], env);
    expect(listed.out).not.toContain(record.api_key.slice(17));
    expect(JSON.parse(listed.out).keys).toEqual([
      expect.objectContaining({
        key_id: record.key_id,
        agent_names: ["Weather Bot"],
        owner_username: "ada",
        revoked_at: null,
      }),
    ]);

    const revoked = await cli(["key", "revoke", record.key_id, "--json"], env);
    expect(JSON.parse(revoked.out)).toEqual({ key_id: record.key_id, revoked: true, already: false });
    await eventually("the key is refused", async () => (await send()).body.code === "key_revoked", 2_000);
    expect(JSON.parse((await cli(["key", "revoke", record.key_id, "--json"], env)).out)).toMatchObject({
      already: true,
    });
    expect((await cli(["key", "list"], env)).out).toContain(`${record.key_id} · ended 20`);
  });

  test.each([
    ["a name that is taken", ["key", "issue", "--agent", "Ada"], "has this name"],
    ["an invalid name", ["key", "issue", "--agent", "@@"], "agent name must have"],
    ["a name of two scripts", ["key", "issue", "--agent", "Ad\u0430"], "agent_name must not mix the scripts"],
    ["a name that looks like a reserved one", ["key", "issue", "--agent", "adm1n"], "agent_name is reserved, or looks"],
    ["an unknown owner", ["key", "issue", "--agent", "x", "--owner", "nobody"], "This user does not exist"],
    ["an unknown key", ["key", "revoke", "000000000000"], "This key does not exist"],
  ])("refuse %s and say why", async (_, args, text) => {
    const env = { PARLEY_DATA_DIR: temporaryFolder() };
    await cli(["owner", "create", "ada"], env, "correct horse battery\n");
    const { code, out, err } = await cli(args, env);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(text);
  });

  test("let an owner created beside a running server act at once, and end earlier sessions of that name", async () => {
    await using server = await startTestServer();
    const ada = await server.user("ada");
    const env = { PARLEY_DATA_DIR: server.config.dataDir };
    const { out } = await cli(["owner", "create", "ada", "--json"], env, "another horse battery\n");
    expect(JSON.parse(out)).toMatchObject({ created: false });
    await eventually("the session is over", async () => (await ada.get("/api/auth/sessions")).status === 401, 2_000);
    const login = await server.guest.post("/api/auth/login", { username: "ada", password: "another horse battery" });
    expect(login.body.user.admin_level).toBe(3);
    expect(cookieOf(login)).toContain("parley_session=");
  });
});

test("the doctor lists names from before the current rules that could be mistaken for others", async () => {
  const env = { PARLEY_DATA_DIR: temporaryFolder() };
  await cli(["key", "issue", "--agent", "Scout-1"], env);
  using database = new Database(join(env.PARLEY_DATA_DIR, "parley.sqlite"));
  database.run("insert into names (name_key, name, kind, agent_id) values ('scout-l', 'Scout-l', 'agent', 1)");
  const { out } = await cli(["doctor", "--json"], env);
  const names = JSON.parse(out).findings.find(({ check }: { check: string }) => check === "names");
  expect(names).toMatchObject({ state: "advice", text: expect.stringContaining('"Scout-l" looks like "Scout-1"') });
});

test("migrate creates the database and prints its schema", async () => {
  const env = { PARLEY_DATA_DIR: temporaryFolder() };
  const first = JSON.parse((await cli(["migrate", "--json"], env)).out);
  expect(first).toEqual({ schema: expect.any(Number), dialect: "sqlite", epoch: expect.any(String) });
  expect(first.schema).toBeGreaterThan(0);
  expect(JSON.parse((await cli(["migrate", "--json"], env)).out)).toEqual(first);
});

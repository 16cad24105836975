import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/command-line/commands.ts";
import { type CliResult, cli, cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { openMigratedPlace } from "../support/databases.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/**
 * Every command on PostgreSQL, where a command has one connection: a query beside its own transaction would wait for
 * ever, and a database that closes too early shows only there.
 */
interface Place {
  env: Record<string, string>;
  folder: string;
  isServed: boolean;
  /** The values that earlier rows left for later ones. */
  kept: Map<string, string>;
}

interface Row {
  /** The name of the command, as `COMMANDS` has it. */
  command: string;
  args?: (place: Place) => string[];
  input?: string;
  /** The exit code; 0 when absent. */
  code?: number;
  /** The text that the command writes, to either output. */
  says: RegExp;
  /** Keeps a part of the output, the first group of `says`, under this name. */
  keeps?: string;
}

const PASSWORD = "a staple and a battery\n";
const kept =
  (name: string, ...before: string[]) =>
  (place: Place) => [...before, place.kept.get(name) ?? "?"];
const folder =
  (name: string) =>
  ({ folder }: Place) => [join(folder, name)];

/** In order: later rows use what earlier ones made. */
const ROWS: readonly Row[] = [
  { command: "migrate", says: /has this version's schema/ },
  {
    command: "import slack",
    args: ({ folder }) => [join(folder, "absent.zip"), "--dry-run"],
    code: 1,
    says: /absent\.zip cannot be read: it does not exist/,
  },
  {
    command: "import mattermost",
    args: ({ folder }) => [join(folder, "absent"), "--dry-run"],
    code: 1,
    says: /absent cannot be read: it does not exist/,
  },
  {
    command: "import discord",
    args: ({ folder }) => [join(folder, "absent"), "--dry-run"],
    code: 1,
    says: /absent cannot be read: it does not exist/,
  },
  {
    command: "import zulip",
    args: ({ folder }) => [join(folder, "absent"), "--dry-run"],
    code: 1,
    says: /absent cannot be read: it does not exist/,
  },
  {
    command: "import telegram",
    args: ({ folder }) => [join(folder, "absent"), "--dry-run"],
    code: 1,
    says: /absent cannot be read: it does not exist/,
  },
  {
    command: "import rocketchat",
    args: ({ folder }) => [join(folder, "absent"), "--dry-run"],
    code: 1,
    says: /absent cannot be read: it does not exist/,
  },
  { command: "owner create", args: () => ["olga"], input: PASSWORD, says: /olga is now an owner/ },
  { command: "owner create", args: () => ["olga"], input: PASSWORD, says: /already existed and is now an owner/ },
  { command: "user create", args: () => ["ann"], input: PASSWORD, says: /ann can log in now/ },
  { command: "user create", args: () => ["ann"], input: PASSWORD, code: 1, says: /taken/ },
  { command: "user create", args: () => ["bea", "--link"], says: /\/reset#[\w-]{43}\n[\s\S]*bea is created/ },
  { command: "user create", args: () => ["bea", "--link"], code: 1, says: /taken/ },
  { command: "user reset", args: () => ["bea"], says: /\/reset#[\w-]{43}\n/ },
  { command: "user reset", args: () => ["nobody-here"], code: 1, says: /does not exist/ },
  {
    command: "setup code",
    args: () => ["--agent", "Set Up", "--owner", "ann"],
    says: /\/setup#(?:[0-9A-Z]{4}-){2}[0-9A-Z]{4}\n[\s\S]*works once/,
  },
  { command: "user reset-factors", args: () => ["ann"], says: /ann had no second factor/ },
  { command: "user suspend", args: () => ["ann"], says: /ann is suspended until/ },
  { command: "user unsuspend", args: () => ["ann"], says: /ann is not suspended/ },
  { command: "user level", args: () => ["ann", "moderator"], says: /ann now has level 1/ },
  { command: "user list", says: /ann · level 1[\s\S]*bea[\s\S]*olga/ },
  {
    command: "key issue",
    args: () => ["--agent", "Scout", "--owner", "ann", "--channels", "general", "--expires", "30d"],
    says: /Key id, to revoke it: (\S+)/,
    keeps: "key",
  },
  {
    command: "export",
    args: ({ folder }) => [join(folder, "moved-out"), "--format", "slack", "--channels", "all", "--yes"],
    says: /The export for Slack has taken:[\s\S]*moved-out\.report\.json/,
  },
  { command: "mail test", args: () => ["ann@example.org"], code: 1, says: /PARLEY_SMTP_URL is not set/ },
  { command: "mail list", says: /No mails/ },
  { command: "import list", says: /There are no imports/ },
  { command: "import show", args: () => ["9"], code: 1, says: /There is no import 9/ },
  { command: "import open", args: () => ["9"], code: 1, says: /There is no import 9/ },
  { command: "import links", args: () => ["9"], code: 1, says: /no import 9/ },
  { command: "import undo", args: () => ["9"], code: 1, says: /There is no import 9/ },
  { command: "key list", says: /agent \d+ Scout · owner ann/ },
  { command: "agent list", says: /^(\d+) {2}active {2}Scout/, keeps: "agent" },
  { command: "agent pause", args: kept("agent"), says: /paused/ },
  { command: "agent resume", args: kept("agent"), says: /./ },
  { command: "key revoke", args: kept("key"), says: /The key is revoked/ },
  { command: "codes fill", args: () => ["25"], says: /25/ },
  { command: "codes status", says: /\d/ },
  {
    command: "paid add",
    args: (place) => ["weather", "--amount", "5", "--file", ...folder("weather.txt")(place)],
    says: /weather is for sale/,
  },
  { command: "paid list", says: /weather/ },
  { command: "paid remove", args: () => ["weather"], says: /weather/ },
  { command: "payments list", says: /\w/ },
  { command: "packet verify", args: folder("none.json"), code: 1, says: /cannot be read/ },
  { command: "payouts list", says: /No payouts match/ },
  { command: "payouts stop", says: /stopped/i },
  { command: "payouts paid", args: () => ["7", `0x${"1".repeat(64)}`], code: 1, says: /There is no payout 7\./ },
  { command: "payouts resume", says: /resume/ },
  { command: "payouts reconcile", says: /Nothing has been funded or paid on a chain/ },
  { command: "audit", says: /command line[\s\S]*key_revoke/ },
  { command: "backup", args: folder("copy.sqlite"), code: 1, says: /pg_dump/ },
  { command: "backup list", code: 1, says: /PARLEY_BACKUP_DIR/ },
  { command: "backup verify", args: folder("none.sqlite"), code: 1, says: /none\.sqlite/ },
  { command: "restore", args: folder("none.sqlite"), code: 1, says: /none\.sqlite|server/ },
  { command: "restore list", code: 1, says: /Neither PARLEY_REPLICA nor --from/ },
  { command: "restore check", code: 1, says: /Neither PARLEY_REPLICA nor --from/ },
  { command: "files backup", args: folder("bytes"), says: /\w/ },
  { command: "files restore", args: folder("bytes"), says: /\w/ },
  { command: "doctor", says: /PostgreSQL/ },
  { command: "version", says: /^\d+\.\d+/ },
];

/** Commands that have tests of their own below. */
const OTHERS = ["serve", "user erase", "restore finish"];

test("every command has a row", () => {
  const covered = new Set([...ROWS.map(({ command }) => command), ...OTHERS]);
  expect(COMMANDS.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
});

describe.each([
  ["beside a running server", true],
  ["without a server", false],
])("on PostgreSQL, %s", (_, isServed) => {
  const stack = new AsyncDisposableStack();
  const place: Place = { env: {}, folder: temporaryFolder(), isServed, kept: new Map() };

  beforeAll(async () => {
    const { url } = stack.use(await openMigratedPlace());
    place.env = {
      DATABASE_URL: url,
      PARLEY_DATA_DIR: temporaryFolder(),
      PORT: String(freePort()),
      // Nothing listens there: these commands ask no chain.
      PARLEY_EVM_RPC_URL: "http://127.0.0.1:1",
      PARLEY_EVM_CHAIN_ID: "31337",
      PARLEY_PAYMENT_RECIPIENT: `0x${"1".repeat(40)}`,
    };
    writeFileSync(join(place.folder, "weather.txt"), "Sunny.");
    if (isServed) stack.use(await startTestServer({ database: { kind: "postgres", url } }));
  });
  afterAll(() => stack.disposeAsync());

  test.each(ROWS.map((row, at) => [`${at + 1}. ${row.command}`, row] as const))("%s", async (_, row) => {
    const args = [...row.command.split(" "), ...(row.args?.(place) ?? [])];
    const { code, out, err }: CliResult = await cli(args, place.env, row.input);
    expect([code, out + err]).toEqual([row.code ?? 0, expect.stringMatching(row.says)]);
    if (row.keeps !== undefined) place.kept.set(row.keeps, row.says.exec(out)?.[1] ?? "");
  });

  test("commands that must be alone refuse beside a server", async () => {
    const { url } = stack.use(await openMigratedPlace());
    const env = isServed ? place.env : { ...place.env, DATABASE_URL: url };
    const [finished, erased] = [
      await cli(["restore", "finish"], env),
      await cli(["user", "erase", "nobody-here"], env),
    ];
    expect([finished.code, erased.code]).toEqual([isServed ? 1 : 0, 1]);
    expect(finished.out + finished.err).toContain(isServed ? "Another Parley server" : "The data has a new epoch");
    expect(erased.err).toContain(isServed ? "Another Parley server" : "does not exist");
  });

  test("serve starts alone, and refuses to start beside a server", async () => {
    if (isServed) {
      const { code, err } = await cliProcess(["serve"], place.env);
      expect([code, err]).toEqual([1, expect.stringContaining("Another Parley server is using PostgreSQL")]);
      return;
    }
    const server = new ChildServer(place.env.PARLEY_DATA_DIR ?? "", Number(place.env.PORT), place.env);
    await server.start();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
  });
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { visitSite } from "../packages/server/test/support/browser/site.ts";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { jpegOfScans } from "../packages/server/test/support/fuzz/jpeg-bombs.ts";
import { freePort } from "../packages/server/test/support/servers/child-server.ts";
import { currentClient } from "../packages/server/test/support/servers/mcp-clients.ts";
import { eventually, logIn, signUp } from "../packages/server/test/support/servers/test-server.ts";
import { debianPackage } from "./debian.ts";

/** Much longer than building and starting take, so that it only ends a test that hangs. */
const SLOW_MS = 120_000;
setDefaultTimeout(SLOW_MS);

const root = join(import.meta.dir, "..");
/** The executable alone in a folder, as if copied to another machine. */
const folder = temporaryFolder();
const file = join(folder, "parley");

beforeAll(async () => {
  const built = join(temporaryFolder(), "parley");
  const build = Bun.spawn([process.execPath, "tools/bundle.ts", "--executable", built], { cwd: root, stderr: "pipe" });
  if ((await build.exited) !== 0) throw new Error(await new Response(build.stderr).text());
  copyFileSync(built, file);
  rmSync(built);
}, SLOW_MS);

// Deletes the 120 MB before the process ends.
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(args: string[], cwd = folder) {
  return Bun.spawn([file, ...args], {
    cwd,
    env: { PORT: "0", PARLEY_DATA_DIR: join(folder, "data"), PARLEY_BLUESKY_API_URL: "off" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

test("the executable alone serves the pages and documents, and runs the commands for the database", async () => {
  const server = run(["serve"]);
  let said = "";
  for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes("Ctrl-C")) break;
  }
  const url = /Web page +(http:\S+)\//.exec(said)?.[1];
  const { get, asked } = await visitSite(url ?? "");
  await Promise.all([...asked, "/docs/events", "/api/openapi.json", "/skill.md", "/guide/agents.md"].map(get));
  // The executable decodes images in a child process of itself.
  const ann = await signUp(url ?? "", "ann");
  expect((await ann.put("/api/user/ann", { avatar: jpegOfScans(10).toString("base64") })).status).toBe(200);
  // The library of MCP is loaded at the first call.
  const issued = await new Response(run(["key", "issue", "--agent", "Scout", "--json"]).stdout).text();
  const mcp = await currentClient(url ?? "", JSON.parse(issued).api_key, "auto");
  expect((await mcp.call("whoami")).body.agent_names).toEqual(["Scout"]);
  await mcp[Symbol.asyncDispose]();
  expect(await run(["backup", "copy.sqlite"]).exited).toBe(0);
  expect(await run(["doctor"]).exited).toBe(0);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(["copy.sqlite", "data", "parley"]);
});

test("the executable ignores .env and bunfig.toml in the current folder", async () => {
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, ".env"), "PARLEY_PROFILE=nonsense\n");
  writeFileSync(join(elsewhere, "bunfig.toml"), 'preload = ["./foreign.ts"]\n');
  writeFileSync(join(elsewhere, "foreign.ts"), 'console.log("foreign");\n');
  const called = run(["migrate"], elsewhere);
  expect(await new Response(called.stdout).text()).not.toContain("foreign");
  expect([await called.exited, await new Response(called.stderr).text()]).toEqual([0, ""]);
});

/** Runs a program as root and returns its output. */
async function asRoot(...command: string[]): Promise<string> {
  const child = Bun.spawn([...(process.getuid?.() === 0 ? [] : ["sudo", "-n"]), ...command], {
    stdin: new Blob(["correct horse battery\n"]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${err}${out}`);
  return out.trim();
}

/** Starts what the installed unit starts, as its user and with its settings, and waits until it is ready. */
async function startInstalled(port: number) {
  const unit = readFileSync("/lib/systemd/system/parley.service", "utf8");
  const of = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
  const command = `set -a; . ${of("EnvironmentFile")}; umask ${of("UMask")}; exec ${of("ExecStart")}`;
  const started = asRoot("runuser", "-u", of("User"), "--", "sh", "-c", command);
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true;
  await eventually("the server is ready", () => Promise.race([isReady(), started.then(() => false)]), SLOW_MS);
  return async () => {
    await asRoot("pkill", "-TERM", "-u", of("User"), "-x", "parley");
    await started;
  };
}

const UNIT = "/lib/systemd/system/parley.service";

// It changes the machine, so it runs only where the tests own it, as in .ci/run.
if (process.env.PARLEY_REQUIRE_SERVICES === "1") {
  test("the Debian package installs, starts, upgrades with its data and settings, and is purged", async () => {
    if (existsSync("/etc/parley.env")) throw new Error("Parley is installed on this machine.");
    const architecture = (await asRoot("dpkg", "--print-architecture")).trim();
    const build = (version: string) =>
      debianPackage({ executable: file, folder: temporaryFolder(), version, architecture, isFast: true });
    // A service of systemd would occupy the database; this test starts the server itself.
    const install = async (version: string) => {
      await asRoot("dpkg", "--force-unsafe-io", "--install", await build(version));
      if (existsSync("/run/systemd/system")) await asRoot("systemctl", "stop", "parley");
    };
    const stateOf = (path: string) => asRoot("stat", "-c", "%U:%G %a", path);
    try {
      await install("0.0.1");
      expect(await stateOf("/etc/parley.env")).toBe("root:parley 640");
      expect(await stateOf("/var/lib/parley")).toBe("parley:parley 700");
      expect(statSync("/usr/bin/parley").mode & 0o777).toBe(0o755);
      const port = freePort();
      const url = `http://127.0.0.1:${port}`;
      await asRoot("sed", "-i", `s/3000/${port}/`, "/etc/parley.env");
      expect(await asRoot("parleyctl", "owner", "create", "ada")).toContain("ada is now an owner");
      const stop = await startInstalled(port);
      const ada = await logIn(url, "ada");
      const sent = await ada.post("/api/messages", { channel_slug: "general", content: "before the upgrade" });
      expect(sent.status).toBe(201);
      await stop();

      await install("0.0.2");
      expect(await asRoot("dpkg-query", "-W", "parley")).toBe("parley\t0.0.2");
      const stopAgain = await startInstalled(port);
      const { messages } = (await ada.get("/api/messages?channel_slug=general")).body;
      expect(messages).toMatchObject([{ content: "before the upgrade" }]);
      expect(await stateOf("/etc/parley.env")).toBe("root:parley 640");
      await stopAgain();

      await asRoot("dpkg", "--remove", "parley");
      expect([UNIT, "/usr/bin/parley", "/usr/sbin/parleyctl"].filter(existsSync)).toEqual([]);
      expect(["/etc/parley.env", "/var/lib/parley"].filter(existsSync)).toHaveLength(2);
    } finally {
      await asRoot("dpkg", "--force-unsafe-io", "--purge", "parley");
    }
    expect(["/etc/parley.env", "/var/lib/parley"].filter(existsSync)).toEqual([]);
    await expect(asRoot("getent", "passwd", "parley")).rejects.toThrow();
  });
}

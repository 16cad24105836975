import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { freePort } from "../packages/server/test/support/servers/child-server.ts";
import { eventually, logIn } from "../packages/server/test/support/servers/test-server.ts";
import { buildExecutable } from "./built-executable.ts";
import { debianPackage } from "./debian.ts";

/** Much longer than building and starting take, so that it only ends a test that hangs. */
const SLOW_MS = 120_000;

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

test("the Debian package installs, starts, upgrades with its data and settings, and is purged", async () => {
  if (existsSync("/etc/parley.env")) throw new Error("Parley is installed on this machine.");
  const architecture = (await asRoot("dpkg", "--print-architecture")).trim();
  const file = join(temporaryFolder(), "parley");
  await buildExecutable(file);
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

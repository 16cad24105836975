import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ParleyClient } from "@parley/sdk";
import { lifecycle } from "../../src/http/connections/lifecycle.ts";
import { cliProcess, spawnCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { expectError } from "../support/expect-error.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

describe("health and metrics", () => {
  test("livez and readyz answer, and during a drain only livez does", async () => {
    await using server = await startTestServer();
    expect(await server.guest.get("/livez")).toMatchObject({ status: 200, body: { success: true, status: "live" } });
    expect(await server.guest.get("/readyz")).toMatchObject({ status: 200, body: { success: true, status: "ready" } });
    lifecycle(server.ctx).state = "draining";
    const draining = await server.guest.get("/readyz");
    expect(draining).toMatchObject({ status: 503, body: { code: "draining" } });
    expect(draining.headers.get("retry-after")).toBe("5");
    expect((await server.guest.get("/livez")).status).toBe(200);
  });

  test("readyz is not_ready when the database does not respond", async () => {
    await using server = await startTestServer();
    await server.ctx.db.destroy();
    expect(await server.guest.get("/readyz")).toMatchObject({ status: 503, body: { code: "not_ready" } });
  });

  test("metrics count requests, for callers on this machine only", async () => {
    await using server = await startTestServer();
    await server.guest.get("/livez");
    const metrics = await server.guest.get("/metrics");
    expect(metrics.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    expect(metrics.body).toMatch(/parley_http_requests_total\{method="GET",route="\/livez",status="200"\} 1\n/);
    const proxied = await server.guest.get("/metrics", { headers: { "x-forwarded-for": "127.0.0.1" } });
    expect(proxied).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("administrators can read metrics from anywhere, and nobody else can", async () => {
    await using server = await startTestServer();
    const away = { headers: { "x-forwarded-for": "203.0.113.7" } };
    const admin = await staff(server, "rosa", 2);
    const answer = await admin.get("/api/admin/metrics", away);
    expect(answer.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    expect(answer.body).toContain("parley_http_requests_total");
    expect((await admin.get("/metrics", away)).status).toBe(404);
    expectError(await (await staff(server, "mona", 1)).get("/api/admin/metrics"), 403, "forbidden");
    expectError(await server.guest.get("/api/admin/metrics"), 401, "session_required");
    const client = new ParleyClient({ url: server.url, cookie: admin.credential.cookie ?? "" });
    expect(await client.admin.metrics()).toContain("parley_http_requests_total");
  });

  test("administrators see the health of the last hour, and nobody else does", async () => {
    await using server = await startTestServer();
    const admin = await staff(server, "rosa", 2);
    await admin.post("/api/messages", { channel_slug: "general", content: "counted" });
    server.ctx.metrics.health.sample();
    const client = new ParleyClient({ url: server.url, cookie: admin.credential.cookie ?? "" });
    const { node, sample_seconds, series } = await client.admin.health();
    expect([node, sample_seconds]).toEqual([null, 10]);
    expect(series.messages_per_second[0]).toBeGreaterThan(0);
    expect(series.requests_per_second[0]).toBeGreaterThan(series.messages_per_second[0] ?? 0);
    expect(series.memory_mib[0]).toBeGreaterThan(10);
    expectError(await (await staff(server, "mona", 1)).get("/api/admin/health"), 403, "forbidden");
    expectError(await server.guest.get("/api/admin/health"), 401, "session_required");
  });

  test("metrics answer everybody if the operator allows it", async () => {
    await using server = await startTestServer({ metricsPublic: true });
    const proxied = await server.guest.get("/metrics", { headers: { "x-forwarded-for": "203.0.113.7" } });
    expect(proxied.status).toBe(200);
  });
});

describe("serve", () => {
  test("prints its addresses, and exits with 0 on SIGTERM", async () => {
    const child = spawnCli(["serve"], { PORT: "0", PARLEY_DATA_DIR: temporaryFolder() });
    const output = await readUntil(child.stdout, /Ctrl-C/);
    const url = /Web page +(http:\/\/127\.0\.0\.1:\d+)\//.exec(output)?.[1] ?? "";
    for (const path of ["/docs", "/skill.md"]) expect(output).toContain(`${url}${path}`);
    expect((await new Client(url).get("/readyz")).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test("logs its addresses as JSON in production", async () => {
    const child = spawnCli(["serve"], {
      PORT: "0",
      HOST: "127.0.0.1",
      PARLEY_PROFILE: "production",
      PARLEY_PUBLIC_URL: "https://chat.example.org",
      PARLEY_TRUSTED_PROXIES: "none",
      PARLEY_DATA_DIR: temporaryFolder(),
    });
    const output = await readUntil(child.stdout, /"ready".*\n/);
    const ready = output.split("\n").find((line) => line.includes('"ready"')) ?? "";
    expect(JSON.parse(ready)).toMatchObject({
      level: "info",
      msg: "ready",
      docs: "https://chat.example.org/docs",
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/),
    });
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
  });

  test("exits at once on a second signal, even with an open request", async () => {
    const child = spawnCli(["serve"], { PORT: "0", PARLEY_DATA_DIR: temporaryFolder() });
    const output = outputOf(child.stdout);
    const [, url = ""] = await eventually("it is ready", () => /(http:\S+)\/docs.*Ctrl-C/s.exec(output.text));
    using http = await RawHttp.open(url);
    // The server has this connection when it is stopped. A body that never arrives delays the drain.
    expect((await http.ask("GET", "/livez")).status).toBe(200);
    http.tcp.write(
      "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    const signals = setInterval(() => child.kill("SIGTERM"), 300);
    expect(await child.exited).toBe(1);
    clearInterval(signals);
    await output.ended;
    expect(output.text).toContain("stopping");
    // The server says this when it exits with 1 by itself because the drain takes too long.
    expect(output.text).not.toContain("did not finish in time");
  });

  test("names an occupied port and what to do, without a stack", async () => {
    await using other = await startTestServer();
    const port = new URL(other.url).port;
    const { code, err } = await cliProcess(["serve"], { PORT: port, PARLEY_DATA_DIR: temporaryFolder() });
    expect(code).toBe(1);
    expect(err).toContain(`Port ${port} on 127.0.0.1 is in use`);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test("refuses to start twice on the same file, and the first server continues", async () => {
    const dataDir = temporaryFolder();
    await using first = new ChildServer(dataDir, freePort());
    await first.start();
    const { code, err } = await cliProcess(["serve"], { PORT: "0", PARLEY_DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(err).toStartWith("Another Parley server is using");
    expect((await new Client(first.url).get("/readyz")).status).toBe(200);
  });

  test("names a data folder that is a file", async () => {
    const path = join(temporaryFolder(), "data");
    writeFileSync(path, "");
    const { code, err } = await cliProcess(["serve"], { PORT: "0", PARLEY_DATA_DIR: path });
    expect(code).toBe(1);
    expect(err).toContain(`The data folder ${path} cannot be written`);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe("doctor", () => {
  async function findings(
    env: Record<string, string>,
  ): Promise<{ code: number | null; texts: Record<string, string> }> {
    const settings = { PORT: "0", PARLEY_BLUESKY_API_URL: "off", ...env };
    const { code, out } = await cliProcess(["doctor", "--json"], settings);
    const list: { check: string; state: string; text: string }[] = JSON.parse(out).findings;
    return { code, texts: Object.fromEntries(list.map(({ check, state, text }) => [check, `${state}: ${text}`])) };
  }

  test("finds no problem before the first start, and creates nothing", async () => {
    const dataDir = join(temporaryFolder(), "new");
    const { code, texts } = await findings({ PARLEY_DATA_DIR: dataDir });
    expect(code).toBe(0);
    expect(texts.database).toContain("does not exist yet");
    expect(existsSync(dataDir)).toBe(false);
  });

  test("reports a running server and does not disturb it", async () => {
    const dataDir = temporaryFolder();
    await using server = new ChildServer(dataDir, freePort());
    await server.start();
    const { code, texts } = await findings({ PARLEY_DATA_DIR: dataDir });
    expect(code).toBe(0);
    expect(texts.port).toContain("a Parley server is running");
    expect(texts.schema).toMatch(/^ok: \d+, epoch [0-9a-f]+$/);
    const second = await cliProcess(["serve"], { PORT: "0", PARLEY_DATA_DIR: dataDir });
    expect(second.err).toContain("Another Parley server");
  });

  test.each<[string, (folder: string) => Record<string, string>, string, RegExp]>([
    ["invalid settings", () => ({ PARLEY_GUEST_READ: "x" }), "settings", /^problem: PARLEY_GUEST_READ must be/],
    ["a damaged file", damaged, "database", /^problem: cannot be read .*restore a backup/],
    [
      "an unreachable database",
      () => ({ DATABASE_URL: "postgres://x@127.0.0.1:1/x" }),
      "database",
      /^problem: cannot be read/,
    ],
  ])("reports %s as a problem with advice, and exits with 1", async (_, make, check, text) => {
    const folder = temporaryFolder();
    const { code, texts } = await findings({ PARLEY_DATA_DIR: folder, ...make(folder) });
    expect(code).toBe(1);
    expect(texts[check]).toMatch(text);
  });

  test("reports a port in use as a problem, and a folder open to others as advice", async () => {
    await using other = await startTestServer();
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const { code, texts } = await findings({ PARLEY_DATA_DIR: folder, PORT: new URL(other.url).port });
    expect(code).toBe(1);
    expect(texts.port).toMatch(/^problem: .*EADDRINUSE.*PORT$/);
    expect(texts["data folder"]).toBe(
      `advice: ${folder} is open to every user of this machine; run: chmod o-rwx ${folder}`,
    );
  });
});

function damaged(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "parley.sqlite"), "not a database, but long enough to be read as one".repeat(100));
  return {};
}

async function readUntil(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (pattern.test(text)) return text;
  }
  throw new Error(`The output ended without ${pattern}:\n${text}`);
}

/** Collects the output of a process so far, and all of it after its end. */
function outputOf(stream: ReadableStream<Uint8Array>): { text: string; ended: Promise<void> } {
  const output = { text: "", ended: Promise.resolve() };
  const decoder = new TextDecoder();
  const read = async (): Promise<void> => {
    for await (const chunk of stream) output.text += decoder.decode(chunk, { stream: true });
  };
  output.ended = read();
  return output;
}

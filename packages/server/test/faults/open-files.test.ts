import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

const LIMIT = 128;
const CONNECTIONS = 104;

describe.skipIf(!existsSync("/proc/self/limits"))("a process with few file descriptors", () => {
  test("warns once when almost all are used, continues for connected clients, and accepts others when some leave", async () => {
    const around = ["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh"];
    const server = new ChildServer(temporaryFolder(), freePort(), {}, { around });
    await using child = server.spawn();
    const log: string[] = [];
    const reading = child.stdout
      .pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (text) => void log.push(text) }));
    const isReady = () =>
      new Client(server.url).get("/readyz").then(
        ({ status }) => status === 200,
        () => false,
      );
    await eventually("it is ready", isReady);
    const connections: RawHttp[] = [];
    while (connections.length < CONNECTIONS) {
      const http = await RawHttp.open(server.url);
      expect((await http.ask("GET", "/livez")).status).toBe(200);
      connections.push(http);
    }
    await eventually("it warns", () => log.join("").includes("file descriptors"), 20_000);
    // The remaining descriptors are taken, too; these clients wait.
    const waiting = await Promise.all(Array.from({ length: LIMIT - CONNECTIONS }, () => RawHttp.open(server.url)));
    const asked = waiting.map((http) => http.ask("GET", "/livez"));
    expect((await connections[0]?.ask("GET", "/livez"))?.status).toBe(200);
    // This module is loaded when it is first needed, which requires files.
    expect((await connections[0]?.ask("GET", "/metrics", { host: new URL(server.url).host }))?.status).toBe(500);
    for (const http of connections) http[Symbol.dispose]();
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    for (const http of waiting) http[Symbol.dispose]();
    await eventually("others are taken", isReady);
    const { body: text } = await new Client(server.url).get("/metrics");
    expect(text).toContain(`process_max_fds ${LIMIT}\n`);
    expect(text).toMatch(/^process_open_fds [1-9]\d+$/m);
    child.kill("SIGTERM");
    await reading;
    expect(log.join("").match(/file descriptors/g)).toHaveLength(1);
  });
});

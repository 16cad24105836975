import { expect, test } from "bun:test";
import { startTestServer } from "../support/servers/test-server.ts";

test("every text response declares UTF-8", async () => {
  await using server = await startTestServer();
  const agent = await server.agent("Streamer");
  const controller = new AbortController();
  const stream = await fetch(`${server.url}/api/agenthub/events`, {
    headers: agent.credential,
    signal: controller.signal,
  });
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  controller.abort();
  const page = await (await fetch(`${server.url}/`)).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(assets.length).toBeGreaterThan(1);
  const types: string[] = [];
  for (const path of [
    "/",
    "/claim",
    "/docs",
    "/docs/events",
    "/metrics",
    "/llms.txt",
    "/guide/agents.md",
    "/robots.txt",
    ...assets,
  ]) {
    const type = (await fetch(server.url + path)).headers.get("content-type") ?? "";
    if (type.startsWith("text/")) types.push(type);
  }
  expect(types.length).toBeGreaterThan(5);
  for (const type of types) expect(type).toMatch(/; ?charset=utf-8$/);
});

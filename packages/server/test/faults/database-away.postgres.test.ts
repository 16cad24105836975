import { describe, expect, test } from "bun:test";
import { createLog } from "../../src/logging/log.ts";
import { openPlace } from "../support/databases.ts";
import { CutProxy } from "../support/faults/cut-proxy.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

interface Line {
  level: string;
  msg: string;
  err?: { stack: string };
  refused?: number;
  seconds?: number;
}

describe("a server whose PostgreSQL is away", () => {
  test("answers every request with a clear error, logs one line, and one with their number when it is back", async () => {
    await using place = await openPlace();
    const { proxy, url } = await CutProxy.to(place.url);
    await using _proxy = proxy;
    const lines: Line[] = [];
    const log = createLog({ level: "info", readable: false, write: (line) => lines.push(JSON.parse(line)) });
    await using server = await startTestServer({ database: { kind: "postgres", url } }, { log });
    const ann = await server.user("ann");
    using socket = await TestSocket.open(server.url, ann.credential);
    const loud = () => lines.filter(({ level }) => level !== "info");
    for (const outage of [1, 2]) {
      lines.length = 0;
      proxy.cut();
      for (let wave = 0; wave < 5; wave++) {
        const answers = await Promise.all([
          ...Array.from({ length: 5 }, (_, n) => ann.post("/api/channels", { name: `room ${outage} ${wave} ${n}` })),
          ...Array.from({ length: 5 }, () => server.guest.get("/api/messages?channel_slug=general&after_seq=0")),
        ]);
        for (const { status, body } of answers) expect([status, body.code]).toEqual([503, "storage_unavailable"]);
        const frame = await socket.command("message:send", { channel_slug: "general", content: "x" });
        expect(frame.data.code).toBe("storage_unavailable");
        expect((await server.guest.get("/readyz")).status).toBe(503);
      }
      expect(loud()).toHaveLength(1);
      expect(loud()[0]?.err?.stack).toBeString();
      proxy.mend();
      const over = await eventually("it is told", () => lines.find(({ refused }) => refused !== undefined), 15_000);
      expect(over).toMatchObject({ level: "info", msg: "the database works again" });
      expect(over.refused).toBeGreaterThanOrEqual(55);
      expect((await ann.post("/api/channels", { name: `after ${outage}` })).status).toBe(201);
      expect(loud()).toHaveLength(1);
    }
  });
});

import { expect, test } from "bun:test";
import { connect } from "node:net";
import type { Socket } from "bun";
import { LARGE, largeAnswers } from "../../src/http/answers/large-answers.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { putMessages } from "../support/put-messages.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** The longest possible messages: a page of them has 3 MB. */
const LONG = "\u{1f600}".repeat(4_000);
const PATH = "/api/messages?channel_slug=general&limit=200";
const REQUEST = `GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`;
const MIB = 1024 * 1024;

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
await putMessages(
  server.ctx,
  Array.from({ length: 200 }, (_, n) => ({ content: `${n}${LONG.slice(0, -8)}` })),
);

/**
 * Connections that ask for the page and do not read. The kernel buffers most of the first response, so each asks for
 * two.
 */
class SlowReaders implements Disposable {
  readonly #sockets: Socket[] = [];

  static async open(url: string, count: number): Promise<SlowReaders> {
    const { port } = new URL(url);
    const readers = new SlowReaders();
    const socket = {
      open(socket: Socket) {
        socket.write(REQUEST.repeat(2));
        socket.pause();
      },
      data() {},
    };
    for (let i = 0; i < count; i++) {
      readers.#sockets.push(await Bun.connect({ hostname: "127.0.0.1", port: Number(port), socket }));
    }
    return readers;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

test("slow readers of one network share a budget of bytes, and others still get their pages", async () => {
  const answers = largeAnswers(server.ctx);
  {
    using _slow = await SlowReaders.open(server.url, 20);
    await eventually("they hold their budget", () => answers.bytes > 12 * MIB, 30_000);
    for (let n = 0; n < 5; n++) {
      const { status, body, headers } = await server.guest.get(PATH);
      expect([status, headers.get("content-type"), body.messages.length]).toEqual([200, "application/json", 200]);
      expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(
        Array.from({ length: 200 }, (_, n) => `${n}${LONG.slice(0, -8)}`),
      );
      expect(answers.bytes).toBeLessThanOrEqual(16 * MIB);
    }
  }
  await eventually("nothing is held for those who have left", () => answers.bytes === 0, 30_000);
});

test("HEAD of a large response holds no memory", async () => {
  const response = await fetch(server.url + PATH, { method: "HEAD" });
  expect([response.status, await response.text()]).toEqual([200, ""]);
  expect(Number(response.headers.get("content-length"))).toBeGreaterThan(LARGE);
  expect(largeAnswers(server.ctx).bytes).toBe(0);
});

test("readers that leave at once hold no memory", async () => {
  const answers = largeAnswers(server.ctx);
  for (let n = 0; n < 50; n++) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => {
      socket.write(REQUEST, () => socket.destroy());
    });
    socket.on("error", () => {});
  }
  await eventually("none is left", async () => {
    await server.guest.get("/livez");
    return answers.bytes === 0;
  });
});

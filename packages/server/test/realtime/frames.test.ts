import { describe, expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { RawSocket } from "../support/servers/raw-socket.ts";
import { newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const { open } = await realtimeBench();

describe("a bad frame", () => {
  const deep = `${"[".repeat(17)}${"]".repeat(17)}`;
  const bad: [string, string | Uint8Array, string][] = [
    ["no JSON", "{", "invalid_json"],
    ["binary", new Uint8Array([1, 2, 3]), "invalid_json"],
    ["data that is too deep", `{"event":"ping","data":${deep}}`, "invalid_json"],
    ["no object", "[]", "invalid_request"],
    ["null", "null", "invalid_request"],
    ["no event", "{}", "invalid_request"],
    ["an event that is not a string", '{"event":1}', "invalid_request"],
    ["data that is not an object", '{"event":"ping","data":1}', "invalid_request"],
    ["an unknown command", '{"event":"reaction:nothing"}', "unknown_command"],
    ["the name of a prototype property", '{"event":"constructor"}', "unknown_command"],
    ["a forbidden key", '{"event":"ping","data":{"__proto__":1}}', "invalid_request"],
    ["a malformed ref", '{"event":"ping","ref":{}}', "invalid_request"],
  ];
  test.each(bad)("with %s gets an error frame", async (_, frame, expected) => {
    await using socket = await open();
    socket.send(frame);
    const { data } = await socket.next("error");
    expect(data).toMatchObject({ success: false, code: expected, retryable: false });
    await socket.settle();
  });

  test("closes the socket with 4400 after ten in a row, counted again after a good one", async () => {
    await using socket = await open();
    for (let i = 0; i < 9; i++) socket.send("{");
    await socket.ask("ping");
    for (let i = 0; i < 9; i++) socket.send("{");
    await socket.ask("ping");
    for (let i = 0; i < 10; i++) socket.send("{");
    expect(await socket.whenClosed()).toMatchObject({ code: 4400 });
    expect(socket.all("error")).toHaveLength(28);
  });

  test("returns its ref unchanged, also numbers and in errors; without a ref it is null", async () => {
    await using socket = await open();
    socket.send('{"event":"ping","ref":"a \\"b\\""}');
    socket.send('{"event":"ping","ref":-7}');
    socket.send('{"event":"nope","ref":"x"}');
    socket.send('{"event":"ping"}');
    await socket.answer(null);
    const answers = socket.frames.slice(1).map(({ event, ref }) => [event, ref]);
    expect(answers).toEqual<unknown[]>([
      ["ack", 'a "b"'],
      ["ack", -7],
      ["error", "x"],
      ["ack", null],
    ]);
  });

  test("above 64 KiB closes the socket, and one just below is read", async () => {
    await using socket = await open();
    socket.send(JSON.stringify({ event: "ping", data: { fill: "x".repeat(65_000) }, ref: 1 }));
    await socket.answer(1);
    socket.send(JSON.stringify({ event: "ping", data: { fill: "x".repeat(66_000) }, ref: 2 }));
    expect(await socket.whenClosed()).toMatchObject({ code: 1009 });
  });
});

describe("the rate limits of a socket", () => {
  test("close it with 4408 after more than 60 frames in 10 s", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
    await using socket = await open(null, strict);
    for (let i = 0; i < 60; i++) socket.tell("ping");
    await socket.answer(60);
    expect(socket.closed).toBeNull();
    socket.tell("ping");
    expect(await socket.whenClosed()).toMatchObject({ code: 4408 });
  });

  test.each([
    ["pings", 9],
    ["pongs", 10],
  ])("close it with 4408 after more than 60 %s in 10 s", async (_, opcode) => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
    using raw = await RawSocket.open(strict.url);
    for (let i = 0; i < 59; i++) raw.send("x", opcode);
    raw.send(JSON.stringify({ event: "ping", ref: 1 }));
    await eventually("the 60th frame is answered", () => raw.frames.some(({ payload }) => payload.includes('"ref":1')));
    expect(raw.isClosed).toBe(false);
    for (let i = 0; i < 1_000; i++) raw.send("x", opcode);
    await eventually("the socket is closed", () => raw.isClosed);
    const end = raw.frames.find((frame) => frame.opcode === 8);
    expect(end?.payload.readUInt16BE(0)).toBe(4408);
  });

  test("share the quota for sends with HTTP", async () => {
    const clock = stillClock();
    await using strict = await startTestServer({ rateFactor: 1 }, { clock });
    const ada = await strict.newUser();
    const { id } = await newChannel(ada);
    await using socket = await open(ada, strict);
    for (let i = 0; i < 30; i++) await ada.post("/api/messages", { channel_id: id, content: "x" });
    for (let i = 0; i < 30; i++)
      expect((await socket.ask("message:send", { channel_id: id, content: "x" })).event).toBe("ack");
    const { data } = await socket.ask("message:send", { channel_id: id, content: "x" });
    expect(data).toMatchObject({
      success: false,
      code: "rate_limited",
      retryable: true,
      retry_after: expect.any(Number),
    });
    expect((await ada.post("/api/messages", { channel_id: id, content: "x" })).status).toBe(429);
  });
});

import { afterEach, expect, test } from "bun:test";
import { COMMANDS } from "@parley/protocol/realtime";
import { type TSchema, Type } from "typebox";
import { channelRoutes } from "../../src/channels/channels.routes.ts";
import { frameOf } from "../../src/realtime/frame-text.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** The check of every answer and frame of a test server (support/servers/declared.ts) finds what is not declared. */
const restored: (() => void)[] = [];
afterEach(() => {
  for (const restore of restored.splice(0)) restore();
});

/** Changes a declaration until the test ends. */
function declare<T extends object, K extends keyof T>(declaration: T, name: K, value: T[K]): void {
  const before = declaration[name];
  restored.push(() => {
    declaration[name] = before;
  });
  declaration[name] = value;
}

const listRoute = () => {
  const found = channelRoutes.find(({ method, path }) => method === "GET" && path === "/api/channels");
  if (found === undefined) throw new Error("There is no such route.");
  return found;
};

/** Returns what the disposal of a server says after these requests. */
async function verdict(act: (server: TestServer) => Promise<unknown>): Promise<string> {
  const server = await startTestServer();
  await act(server);
  return server[Symbol.asyncDispose]().then(
    () => "as declared",
    (error: Error) => error.message,
  );
}

const readList = (server: TestServer) => server.guest.get("/api/channels");

test("an answer as it is declared passes", async () => {
  expect(await verdict(readList)).toBe("as declared");
});

test("an undeclared status is found", async () => {
  declare(listRoute(), "answers", {});
  expect(await verdict(readList)).toContain("GET /api/channels 200: an undeclared status");
});

test("an undeclared field is found", async () => {
  declare(listRoute(), "answers", { 200: Type.Object({ success: Type.Literal(true) }) });
  expect(await verdict(readList)).toContain("GET /api/channels 200: /channels is not declared");
});

test("a wrong field is found", async () => {
  declare(listRoute(), "answers", { 200: Type.Object({ channels: Type.String() }) });
  expect(await verdict(readList)).toContain("GET /api/channels 200: /channels must be string");
});

test("an undeclared code is found", async () => {
  const refused = (server: TestServer) => server.guest.get("/api/channels?limit=x");
  expect(await verdict(refused)).toBe("as declared");
  const unnamed = await verdict((server) => {
    // The pipeline has the old declaration.
    declare(listRoute(), "query", undefined);
    return refused(server);
  });
  expect(unnamed).toContain("GET /api/channels 400: the undeclared code invalid_limit");
});

test("an ack and an event that differ are found", async () => {
  declare<{ ack: TSchema }, "ack">(COMMANDS["channel:leave"], "ack", Type.Object({ channel_id: Type.String() }));
  const said = await verdict(async (server) => {
    using socket = await TestSocket.open(server.url);
    await socket.command("channel:join", { channel_id: 1 });
    await socket.command("channel:leave", { channel_id: 1 });
    server.ctx.hub.deliver("c:1", [{ event: "message:new", frame: frameOf("message:new", '{"channel_id":"1"}') }]);
  });
  expect(said).toContain("the ack of channel:leave: /channel_id must be string");
  expect(said).toContain("the event message:new: /");
});

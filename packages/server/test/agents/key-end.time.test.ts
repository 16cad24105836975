import { expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Protocol §12.8. */
const END_MS = 2_000;

test("a key ends by itself, with its streams and sockets, within two seconds", async () => {
  await using server = await startTestServer();
  await server.user("ann");
  const ends = Date.now() + 1_500;
  const grant = { expires_at: new Date(ends).toISOString() };
  const { api_key } = await issueKey(server.ctx, { ownerUsername: "ann", grant });
  const credential = { authorization: `Bearer ${api_key}` };
  await using reader = await EventReader.open(server.url, credential);
  await using socket = await LiveSocket.open(server.url, credential);
  const end = await reader.next(({ event }) => event === "stream:end");
  expect(end.data).toMatchObject({ success: false, code: "key_expired" });
  expect(await socket.whenClosed()).toMatchObject({ reason: "key_expired" });
  expect(Date.now() - ends).toBeLessThan(END_MS);
});

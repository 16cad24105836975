import { afterEach, expect, test } from "bun:test";
import { AgentClient } from "../src/agent-client.ts";
import type { AgentEvent } from "../src/event-stream.ts";
import { QUICK } from "./support/clients.ts";

let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(() => server?.stop(true));

/**
 * Returns the first `count` events of the stream and the Last-Event-ID of each request. The server sends one output a
 * connection and keeps the last connection open.
 */
async function heard(connections: readonly string[], count: number) {
  const asked: (string | null)[] = [];
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const text = connections[asked.push(request.headers.get("last-event-id")) - 1];
      const body = new ReadableStream({
        start(controller) {
          if (text !== undefined) controller.enqueue(new TextEncoder().encode(text));
          if (asked.length < connections.length) controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const agent = new AgentClient({ url: String(server.url), apiKey: "key", name: "Scout", backoff: QUICK });
  const stop = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of agent.events({ signal: stop.signal })) {
    events.push(event);
    if (events.length === count) stop.abort();
  }
  return { asked, events };
}

const frame = (event: string, id: string, data: object) =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const message = (seq: number, id: string) =>
  frame("message:new", id, { channel_id: 1, seq, chat_message: { id: seq } });
const mention = (messageId: number, id: string) =>
  frame("mention:new", id, { channel_id: 1, chat_message: { id: messageId } });
const names = (events: readonly AgentEvent[]) =>
  events.map(({ event, data }) => `${event} ${"seq" in data ? data.seq : ""}`.trim());

test("the event stream resumes from the server's last position, even if nothing has happened", async () => {
  const { asked, events } = await heard(["retry: 1000\n\nid: 1:6@5/a\n\n", message(7, "1:7@9/a")], 1);
  expect(asked).toEqual([null, "1:6@5/a"]);
  expect(names(events)).toEqual(["message:new 7"]);
});

test("the event stream starts afresh after a restore, whose numbers belong to another epoch", async () => {
  const before = mention(7, "1:6@5/a") + message(7, "1:7@5/a");
  // The backup has fewer messages and no login of the agent: nothing is reset, the stream starts there.
  const { events } = await heard(
    [before, `id: @9/b\n\n${mention(5, "@9/b")}${mention(7, "@9/b")}${message(7, "1:7@9/b")}`],
    5,
  );
  expect(names(events)).toEqual(["mention:new", "message:new 7", "mention:new", "mention:new", "message:new 7"]);
});

/**
 * The upper bound for Parley's rates: Bun.serve alone. It validates a POST with the same validator, without storage,
 * credentials, rights or limits. The newest page is a constant. Fan-out is one native publish per message.
 */
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { chatMessage, lastSeq, newMessage, page, sendAnswer } from "./chat-message.mjs";

const ROOM_PREFIX = "room:";

const Message = Compile(
  Type.Object({
    channel_slug: Type.String({ minLength: 1, maxLength: 64 }),
    content: Type.String({ minLength: 1, maxLength: 4000 }),
  }),
);
const Command = Compile(
  Type.Object({
    event: Type.String(),
    data: Type.Object({
      channel_slug: Type.String({ minLength: 1, maxLength: 64 }),
      content: Type.Optional(Type.String({ minLength: 1, maxLength: 4000 })),
    }),
    ref: Type.Optional(Type.String()),
  }),
);

const messages = Array.from({ length: 50 }, () => chatMessage("general", "m".repeat(100)));
const newestPage = JSON.stringify(page(messages, lastSeq()));
const pageHeaders = { "content-type": "application/json" };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  routes: {
    "/readyz": new Response("ready"),
    "/api/messages": {
      GET: () => new Response(newestPage, { headers: pageHeaders }),
      POST: async (request) => {
        const body: unknown = await request.json();
        if (!Message.Check(body)) return Response.json({ success: false, error: "Invalid request" }, { status: 400 });
        return Response.json(sendAnswer(chatMessage(body.channel_slug, body.content)), { status: 201 });
      },
    },
    "/api/ws": (request, upgrading) =>
      upgrading.upgrade(request) ? undefined : new Response("Upgrade required", { status: 426 }),
  },
  websocket: {
    perMessageDeflate: false,
    backpressureLimit: 16 * 1024 * 1024,
    message(socket, text) {
      const command: unknown = JSON.parse(String(text));
      if (!Command.Check(command)) return void socket.close(4400, "Bad frame");
      const { event, data, ref } = command;
      if (event === "channel:join") {
        socket.subscribe(ROOM_PREFIX + data.channel_slug);
        socket.send(JSON.stringify({ event: "ack", ref, data: { success: true, last_seq: lastSeq() } }));
        return;
      }
      const message = chatMessage(data.channel_slug, data.content ?? "");
      const frame = JSON.stringify({ event: "message:new", data: newMessage(message) });
      server.publish(ROOM_PREFIX + data.channel_slug, frame);
      socket.send(JSON.stringify({ event: "ack", ref, data: sendAnswer(message) }));
    },
  },
});

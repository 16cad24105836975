/**
 * A room over the package `ws`, with its documented settings for speed: no compression, native bufferutil, and each frame
 * serialized once for all sockets. It speaks Parley's protocol and checks the shape of commands, without storage, accounts,
 * rights or limits.
 */
import { createServer } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import { chatMessage, lastSeq, newMessage, sendAnswer } from "./chat-message.mjs";

const rooms = new Map();
const isText = (value, max) => typeof value === "string" && value.length > 0 && value.length <= max;

function onCommand(socket, text) {
  const { event, data, ref } = JSON.parse(text);
  if (!isText(event, 64) || !isText(data?.channel_slug, 64)) return socket.close(4400, "Bad frame");
  const members = rooms.get(data.channel_slug) ?? new Set();
  rooms.set(data.channel_slug, members);
  if (event === "channel:join") {
    members.add(socket);
    socket.once("close", () => members.delete(socket));
    return socket.send(JSON.stringify({ event: "ack", ref, data: { success: true, last_seq: lastSeq() } }));
  }
  if (!isText(data.content, 4000)) return socket.close(4400, "Bad frame");
  const message = chatMessage(data.channel_slug, data.content);
  const frame = Buffer.from(JSON.stringify({ event: "message:new", data: newMessage(message) }));
  for (const member of members) if (member.readyState === WebSocket.OPEN) member.send(frame, { binary: false });
  socket.send(JSON.stringify({ event: "ack", ref, data: sendAnswer(message) }));
}

const server = createServer((_request, response) => response.end("ready"));
new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 64 * 1024 }).on("connection", (socket) => {
  socket.on("message", (text) => onCommand(socket, text));
});
server.listen(Number(process.env.PORT), "127.0.0.1");

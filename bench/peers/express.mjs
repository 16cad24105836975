/**
 * What many chat servers are: Express 5 for HTTP, Socket.IO 4 for sockets, better-sqlite3 for storage. Settings: WAL with
 * synchronous=FULL (an answered message is on the disk, as Parley promises), prepared statements, WebSocket transport only,
 * no compression, ETag and X-Powered-By off, native bufferutil, and the request freed after the handshake (Socket.IO's
 * documented memory setting). Run with NODE_ENV=production.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import express from "express";
import { Server } from "socket.io";

const SESSIONS = 4096;
const PAGE = 50;

const db = new Database(join(process.env.BENCH_DATA_DIR, "express.sqlite"));
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec(`
  create table if not exists messages (
    id integer primary key, channel_slug text not null, seq integer not null, type text not null, content text not null,
    username text not null, reply_to_id integer, is_pinned integer not null, edited_at integer, is_deleted integer not null,
    created_at integer not null
  ) strict;
  create unique index if not exists messages_by_channel on messages (channel_slug, seq);
`);
const insert = db.prepare(
  `insert into messages (channel_slug, seq, type, content, username, reply_to_id, is_pinned, edited_at, is_deleted, created_at)
   values (?, ?, 'text', ?, ?, null, 0, null, 0, ?)`,
);
const newest = db.prepare("select * from messages where channel_slug = ? order by seq desc limit ?");
const highest = db.prepare("select coalesce(max(seq), 0) as seq from messages where channel_slug = ?").pluck();

/** Sessions are a map in memory: the cheapest possible look-up. */
const sessions = new Map(Array.from({ length: SESSIONS }, (_, i) => [`session-${i}`, { username: `bench_${i}` }]));
const sequences = new Map();

function readSession(cookie) {
  const match = /(?:^|;\s*)session=([^;]+)/.exec(cookie ?? "");
  return match ? (sessions.get(match[1]) ?? null) : null;
}

function lastSeq(slug) {
  let seq = sequences.get(slug);
  if (seq === undefined) {
    seq = highest.get(slug);
    sequences.set(slug, seq);
  }
  return seq;
}

function isMessage(body) {
  return (
    typeof body === "object" &&
    body !== null &&
    typeof body.channel_slug === "string" &&
    typeof body.content === "string" &&
    body.content.length >= 1 &&
    body.content.length <= 4000
  );
}

function store(user, { channel_slug, content }) {
  const seq = lastSeq(channel_slug) + 1;
  const createdAt = Date.now();
  const { lastInsertRowid } = insert.run(channel_slug, seq, content, user.username, createdAt);
  sequences.set(channel_slug, seq);
  return record({
    id: Number(lastInsertRowid),
    channel_slug,
    seq,
    type: "text",
    content,
    username: user.username,
    reply_to_id: null,
    is_pinned: 0,
    edited_at: null,
    is_deleted: 0,
    created_at: createdAt,
  });
}

/** The same fields as Parley's record, so that both put the same on the wire. */
function record(row) {
  return {
    id: row.id,
    channel_id: 1,
    channel_slug: row.channel_slug,
    seq: row.seq,
    type: row.type,
    content: row.content,
    sender_type: "user",
    username: row.username,
    agent_name: null,
    agent_id: null,
    client_msg_id: null,
    reply_to_id: row.reply_to_id,
    mentions: [],
    sticker: null,
    packet_id: null,
    reactions: [],
    is_pinned: row.is_pinned === 1,
    pinned_at: null,
    pinned_by: null,
    edited_at: row.edited_at,
    is_deleted: row.is_deleted === 1,
    created_at: new Date(row.created_at).toISOString(),
  };
}

const app = express();
app.disable("x-powered-by");
app.disable("etag");
const server = createServer(app);
const io = new Server(server, { transports: ["websocket"], perMessageDeflate: false, serveClient: false });

app.get("/readyz", (_request, response) => response.json({ ready: true }));

app.get("/api/messages", (request, response) => {
  const user = readSession(request.headers.cookie);
  if (!user) return response.status(401).json({ success: false, error: "No session" });
  const slug = String(request.query.channel_id);
  const messages = newest.all(slug, PAGE).reverse().map(record);
  response.json({ success: true, channel_slug: slug, messages, has_more: true, last_seq: lastSeq(slug), limit: PAGE });
});

app.post("/api/messages", express.json({ limit: "64kb" }), (request, response) => {
  const user = readSession(request.headers.cookie);
  if (!user) return response.status(401).json({ success: false, error: "No session" });
  if (!isMessage(request.body)) return response.status(400).json({ success: false, error: "Invalid request" });
  const chatMessage = store(user, request.body);
  io.to(request.body.channel_slug).emit("message:new", {
    channel_id: 1,
    seq: chatMessage.seq,
    chat_message: chatMessage,
  });
  response.status(201).json({
    success: true,
    message_id: chatMessage.id,
    seq: chatMessage.seq,
    deduplicated: false,
    chat_message: chatMessage,
  });
});

/** The usual online list: the whole of it to everybody at each change. */
const online = new Map();

io.on("connection", (socket) => {
  const user = socket.data.user;
  socket.conn.request = null;
  socket.on("channel:join", ({ channel_slug, announce }, ack) => {
    socket.join(channel_slug);
    if (announce) {
      const users = online.get(channel_slug) ?? new Set();
      online.set(channel_slug, users.add(user?.username ?? socket.id));
      io.to(channel_slug).emit("user:list", {
        channel_slug,
        count: users.size,
        users: [...users].map((name) => ({ name })),
      });
      socket.once("disconnect", () => users.delete(user?.username ?? socket.id));
    }
    ack({ success: true, last_seq: lastSeq(channel_slug) });
  });
  socket.on("message:send", (body, ack) => {
    if (!user || !isMessage(body)) return ack({ success: false, error: "Invalid request" });
    const chatMessage = store(user, body);
    io.to(body.channel_slug).emit("message:new", { channel_id: 1, seq: chatMessage.seq, chat_message: chatMessage });
    ack({ success: true, message_id: chatMessage.id, seq: chatMessage.seq, deduplicated: false });
  });
});
io.use((socket, next) => {
  socket.data.user = readSession(socket.handshake.headers.cookie);
  next();
});

server.listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));

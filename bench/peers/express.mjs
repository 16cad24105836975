/**
 * A chat server with a common stack: Express 5 for HTTP, Socket.IO 4 for sockets, better-sqlite3 for storage. Settings: WAL
 * with synchronous=FULL (an acknowledged message is on the disk, as with Parley), prepared statements, WebSocket transport
 * only, no compression, ETag and X-Powered-By off, native bufferutil, and the request freed after the handshake (Socket.IO's
 * documented memory setting). Run it with NODE_ENV=production.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import express from "express";
import { Server } from "socket.io";
import { newMessage, page, record, sendAnswer } from "./chat-message.mjs";

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
const search = db.prepare("select * from messages where content like ? order by id desc limit ?");
const searchIn = db.prepare(
  "select * from messages where channel_slug = ? and content like ? order by seq desc limit ?",
);
const highest = db.prepare("select coalesce(max(seq), 0) as seq from messages where channel_slug = ?").pluck();

db.exec(`
  create table if not exists balances (username text primary key, points integer not null check (points >= 0)) strict, without rowid;
  create table if not exists packets (
    id integer primary key, channel_slug text not null, sender text not null, split_type text not null, total integer not null,
    remaining integer not null, count integer not null, remaining_count integer not null, shares text not null, status text not null,
    created_at integer not null, expires_at integer not null
  ) strict;
  create table if not exists claims (
    id integer primary key, packet_id integer not null, username text not null, rank integer not null, amount integer not null,
    claimed_at integer not null, unique (packet_id, username)
  ) strict;
  create table if not exists entries (id integer primary key, account text not null, amount integer not null, reason text not null) strict;
`);
const addPacket = db.prepare(
  `insert into packets (channel_slug, sender, split_type, total, remaining, count, remaining_count, shares, status, created_at, expires_at)
   values (?, ?, 'random', ?, ?, ?, ?, ?, 'active', ?, ?)`,
);
const findPacket = db.prepare("select * from packets where id = ?");
const findClaim = db.prepare("select * from claims where packet_id = ? and username = ?");
const findClaims = db.prepare("select * from claims where packet_id = ? order by rank");
const addClaim = db.prepare(
  "insert into claims (packet_id, username, rank, amount, claimed_at) values (?, ?, ?, ?, ?)",
);
const takeShare = db.prepare("update packets set remaining = ?, remaining_count = ?, status = ? where id = ?");
const addEntry = db.prepare("insert into entries (account, amount, reason) values (?, ?, ?)");
const pay = db.prepare(
  "insert into balances (username, points) values (?, ?) on conflict (username) do update set points = points + excluded.points",
);

/** The sessions are in memory, which makes their look-up as cheap as possible. */
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
  return recordOf({
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

/** Returns the record of a row. */
const recordOf = (row) => record(row, new Date(row.created_at).toISOString());

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
  const messages = newest.all(slug, PAGE).reverse().map(recordOf);
  response.json(page(messages, lastSeq(slug)));
});

/** Searches with LIKE, newest first, for the words as typed, as most servers without a search engine do. */
app.get("/api/search/messages", (request, response) => {
  const user = readSession(request.headers.cookie);
  if (!user) return response.status(401).json({ success: false, error: "No session" });
  const { q, channel_slug: slug } = request.query;
  const pattern = `%${String(q).replaceAll(/["*]/g, "").replaceAll(" ", "%")}%`;
  const rows = slug === undefined ? search.all(pattern, PAGE) : searchIn.all(String(slug), pattern, PAGE);
  response.json({ success: true, query: q, messages: rows.map(recordOf), limit: PAGE });
});

app.post("/api/messages", express.json({ limit: "64kb" }), (request, response) => {
  const user = readSession(request.headers.cookie);
  if (!user) return response.status(401).json({ success: false, error: "No session" });
  if (!isMessage(request.body)) return response.status(400).json({ success: false, error: "Invalid request" });
  const chatMessage = store(user, request.body);
  io.to(request.body.channel_slug).emit("message:new", newMessage(chatMessage));
  response.status(201).json(sendAnswer(chatMessage));
});

/** The shares are computed with the packet and stored in it. An even split is enough for the comparison. */
app.post("/api/red-packets", express.json({ limit: "64kb" }), (request, response) => {
  const user = readSession(request.headers.cookie);
  if (!user) return response.status(401).json({ success: false, error: "No session" });
  const { channel_slug: slug, total_amount: text, count } = request.body;
  const total = Number(text);
  const shares = Array.from({ length: count }, (_, rank) => Math.floor(total / count) + (rank < total % count ? 1 : 0));
  const now = Date.now();
  const { lastInsertRowid } = addPacket.run(
    slug,
    user.username,
    total,
    total,
    count,
    count,
    JSON.stringify(shares),
    now,
    now + 86_400_000,
  );
  response.status(201).json({ success: true, packet_id: Number(lastInsertRowid) });
});

/** Claims a share in one transaction with a double entry, the usual way to give each share only once. */
const claimShare = db.transaction((packetId, username) => {
  const packet = findPacket.get(packetId);
  if (!packet) return { code: "packet_not_found" };
  const old = findClaim.get(packetId, username);
  if (old) return { packet, claim: old };
  if (packet.remaining_count === 0) return { code: "packet_empty" };
  if (packet.expires_at <= Date.now()) return { code: "packet_expired" };
  const rank = packet.count - packet.remaining_count + 1;
  const amount = JSON.parse(packet.shares)[rank - 1];
  const claimedAt = Date.now();
  const { lastInsertRowid } = addClaim.run(packetId, username, rank, amount, claimedAt);
  packet.remaining -= amount;
  packet.remaining_count -= 1;
  if (packet.remaining_count === 0) packet.status = "exhausted";
  takeShare.run(packet.remaining, packet.remaining_count, packet.status, packetId);
  addEntry.run(`packet:${packetId}`, -amount, "claim");
  addEntry.run(`user:${username}`, amount, "claim");
  pay.run(username, amount);
  return {
    packet,
    claim: { id: Number(lastInsertRowid), packet_id: packetId, username, rank, amount, claimed_at: claimedAt },
    isNew: true,
  };
});

/** Returns a claim with the same fields as Parley's. */
const claimRecord = ({ id, packet_id, username, rank, amount, claimed_at }) => ({
  claim_id: id,
  packet_id,
  username,
  amount: String(amount),
  currency: "points",
  chain: "ledger",
  address: null,
  payout: { status: "settled", tx_hash: null, gas_paid_by: "platform" },
  rank,
  claimed_at: new Date(claimed_at).toISOString(),
});

const packetRecord = (packet, myClaim) => ({
  packet_id: packet.id,
  channel_id: 1,
  message_id: 1,
  sender_username: packet.sender,
  split_type: packet.split_type,
  chain: "ledger",
  chain_id: null,
  currency: "points",
  token_address: null,
  decimals: 0,
  total_amount: String(packet.total),
  remaining_amount: String(packet.remaining),
  count: packet.count,
  remaining_count: packet.remaining_count,
  greeting: "",
  status: packet.status,
  close_reason: null,
  funding: { tx_hash: null, status: "settled", problem: null, gas_paid_by: "user" },
  refund: null,
  fairness: { algorithm: "parley-red-packet-1", min_share: "1", commitment: "0".repeat(64), seed: null },
  my_claim: myClaim,
  created_at: new Date(packet.created_at).toISOString(),
  expires_at: new Date(packet.expires_at).toISOString(),
  closed_at: null,
});

app.post("/api/red-packets/:id/claim", (request, response) => {
  const user = readSession(request.headers.cookie);
  if (!user) return response.status(401).json({ success: false, error: "No session" });
  const { packet, claim, code, isNew } = claimShare(Number(request.params.id), user.username);
  if (code) return response.status(409).json({ success: false, error: code, code });
  const shown = claimRecord(claim);
  if (isNew) {
    io.to(packet.channel_slug).emit("red_packet:claimed", {
      channel_id: 1,
      packet_id: packet.id,
      claim: shown,
      remaining_amount: String(packet.remaining),
      remaining_count: packet.remaining_count,
    });
  }
  response.json({
    success: true,
    message: "The share is yours.",
    claim: shown,
    red_packet: packetRecord(packet, shown),
  });
});

app.get("/api/red-packets/:id", (request, response) => {
  const packet = findPacket.get(Number(request.params.id));
  if (!packet) return response.status(404).json({ success: false, error: "No packet" });
  const claims = findClaims.all(packet.id).map(claimRecord);
  response.json({ success: true, red_packet: packetRecord(packet, null), claims });
});

/** The users online by channel. As usual, each change sends the whole list to everyone. */
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
    io.to(body.channel_slug).emit("message:new", newMessage(chatMessage));
    ack(sendAnswer(chatMessage));
  });
});
io.use((socket, next) => {
  socket.data.user = readSession(socket.handshake.headers.cookie);
  next();
});

server.listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));

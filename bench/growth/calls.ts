import { wordOfRank } from "../corpus.ts";
import type { RunningServer } from "../servers/server.ts";
import { median, percentile } from "../statistics.ts";

/** Calls of each kind that are measured; a third as many come before, as a warm-up. */
export const CALLS = 300;

/** The median and the 99th percentile of each kind of call, in milliseconds. */
export type Row = Record<string, { p50: number; p99: number }>;

/** The users who call, and the rooms that they call. */
export interface Place {
  cookies: readonly string[];
  /** The slug of the room for messages and joins. */
  room: string;
  /** The id of the channel whose members are listed. */
  listed: number;
}

/** Opens a socket that has joined a room. Without a cookie it is a guest's. */
export async function openSocket(url: string, cookie: string, room: string): Promise<WebSocket> {
  const options = (cookie === "" ? {} : { headers: { cookie } }) as unknown as string[];
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, options);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () =>
      socket.send(JSON.stringify({ event: "channel:join", data: { channel_slug: room }, ref: "joined" }));
    socket.onerror = () => reject(new Error("a socket was refused"));
    socket.onmessage = ({ data }) => {
      const { event, ref } = JSON.parse(String(data));
      if (ref !== "joined") return;
      if (event === "ack") resolve();
      else reject(new Error(String(data)));
    };
  });
  socket.onmessage = null;
  return socket;
}

type Call = (n: number) => Promise<void>;

function callsTo(server: RunningServer, { cookies, room, listed }: Place): Record<string, Call> {
  const cookieOf = (n: number) => cookies[n % cookies.length] ?? "";
  const get =
    (path: (n: number) => string): Call =>
    async (n) => {
      const answer = await fetch(server.url + path(n), { headers: { cookie: cookieOf(n) } });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${path(n)}: ${answer.status}`);
    };
  return {
    send: async (n) => {
      const answer = await fetch(`${server.url}/api/messages`, {
        method: "POST",
        headers: { cookie: cookieOf(n), "content-type": "application/json" },
        body: JSON.stringify({ channel_slug: room, content: `grown message ${n} `.repeat(5) }),
      });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`send: ${answer.status}`);
    },
    "newest page": get(() => `/api/messages?channel_slug=${room}&limit=50`),
    "socket and join": async (n) => (await openSocket(server.url, cookieOf(n), room)).close(),
    "channel list": get(() => "/api/channels?limit=50"),
    "member list": get(() => `/api/channels/${listed}/members?limit=50`),
    "online list": get(() => `/api/channels/${listed}/online?limit=50`),
    "search, rare word": get((n) => `/api/search/messages?q=${wordOfRank(20_000 + 37 * n)}`),
  };
}

/** Calls the server, one call at a time. */
export async function measureCalls(server: RunningServer, place: Place): Promise<Row> {
  const row: Row = {};
  for (const [name, call] of Object.entries(callsTo(server, place))) {
    const waits: number[] = [];
    for (let n = -CALLS / 3; n < CALLS; n += 1) {
      const started = performance.now();
      await call(Math.abs(n));
      if (n >= 0) waits.push(performance.now() - started);
    }
    row[name] = { p50: median(waits), p99: percentile(waits, 0.99) };
  }
  return row;
}

/** Creates a room and returns its slug. */
export async function createRoom(server: RunningServer, cookie: string): Promise<string> {
  // A kept database has those of earlier runs.
  const slug = `growth-${Date.now().toString(36)}`;
  const answer = await fetch(`${server.url}/api/channels`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ name: slug, channel_slug: slug }),
  });
  if (answer.status !== 201) throw new Error(`could not create a channel: ${answer.status}`);
  return slug;
}

/**
 * A process of `bench/mention-delay.ts`: sends messages over sockets, many under way on each, until it is killed, and
 * reads pages, because the server waits for its disk while all senders wait. Takes the server's address, a channel's id
 * and the cookies of the senders; prints how many sends were answered so far.
 */
const SOCKETS_EACH = 8;
/** Sends that may be under way on each socket. */
const IN_FLIGHT = 192;
/** Pages of the channel that are asked for at a time. */
const PAGES = 8;
const PRINT_MS = 250;

const [url = "", channelId = "", ...cookies] = process.argv.slice(2);
const frame = JSON.stringify({
  event: "message:send",
  ref: 1,
  data: { channel_id: Number(channelId), content: "x".repeat(100) },
});

let answered = 0;

function load(cookie: string): void {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, { headers: { cookie } });
  socket.onopen = () => {
    for (let n = 0; n < IN_FLIGHT; n += 1) socket.send(frame);
  };
  socket.onmessage = ({ data }) => {
    const text = String(data);
    if (text.startsWith('{"event":"error"')) throw new Error(`a send was refused: ${text}`);
    if (!text.startsWith('{"event":"ack"')) return;
    answered += 1;
    socket.send(frame);
  };
  socket.onclose = () => process.exit(0);
}

async function readPages(): Promise<void> {
  for (;;) await (await fetch(`${url}/api/messages?channel_id=${channelId}&limit=20`)).arrayBuffer();
}

for (let n = 0; n < PAGES; n += 1) void readPages();
for (const cookie of cookies) for (let n = 0; n < SOCKETS_EACH; n += 1) load(cookie);
setInterval(() => console.log(answered), PRINT_MS);

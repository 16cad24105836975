/** One server-sent event. */
export interface SseEvent {
  event: string;
  /** undefined: the event has none. */
  id: string | undefined;
  /** null: not an event, only an id. */
  data: string | null;
}

/**
 * Yields the events of a stream as they arrive; ends with the stream or the signal, throws when it breaks. Comments
 * (heartbeats) are yielded as null.
 *
 * It listens to the signal itself: once Node has collected a request as garbage, an abort no longer ends its response
 * (nodejs/undici#3644).
 *
 * This is a parser of our own because the server advances a stream's position with blocks that have an id and no data.
 * The standard discards them as events but keeps their id, and parsers such as `eventsource-parser` (3.1.1) report only
 * blocks with data, so the position would be lost.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<SseEvent | null, void> {
  const reader = body.getReader();
  const end = () => void reader.cancel().catch(() => {}); // it is over either way
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      // A block without its final empty line is incomplete.
      text = blocks.pop() ?? "";
      for (const block of blocks) yield readEvent(block);
    }
  } finally {
    signal.removeEventListener("abort", end);
    await reader.cancel().catch(() => {});
  }
}

function readEvent(block: string): SseEvent | null {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  if (data.length > 0) return { event, id, data: data.join("\n") };
  return id === undefined ? null : { event, id, data: null };
}

import { usualFields } from "@parley/protocol/compact";
import type { EventData } from "@parley/protocol/events";
import { mergeActivity } from "@parley/protocol/merge-activity";
import type { LiveStream, StreamResponse } from "@parley/protocol/streams";
import { oncePerFrame } from "../../state/frame-throttle.ts";
import type { Store } from "../../state/store.ts";
import type { GrowingEvent, GrowingMessage } from "./growing-message.ts";

/** A piece that is missing for so long is read from the server: pieces of several servers may arrive out of order. */
const GAP_MS = 400;
/** The server ends a stream after 60 s of silence. The end may have been missed. */
const SILENT_MS = 75_000;
/** The message of a stream that has ended arrives within this time, or with the next join. */
const ARRIVES_MS = 5_000;

interface Held {
  stream: LiveStream;
  /** Pieces beyond the text, by where they begin. */
  early: Map<number, string>;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The last one that was shown, until the stream changes. */
  shown: GrowingMessage | null;
}

/** The messages that agents are writing in a channel and its threads. */
export class GrowingMessages {
  readonly #all: Store<readonly GrowingMessage[]>;
  readonly #read: (streamId: number) => Promise<StreamResponse["stream"]>;
  readonly #held = new Map<number, Held>();
  readonly #reading = new Set<number>();

  constructor(all: Store<readonly GrowingMessage[]>, read: (streamId: number) => Promise<StreamResponse["stream"]>) {
    this.#all = all;
    this.#read = read;
  }

  take({ event, data }: GrowingEvent): void {
    if (event === "stream:start") this.#start(data);
    else if (event === "stream:delta") this.#grow(data);
    else this.#end(data);
  }

  /** Shows what is being written when the channel is joined, and nothing else. */
  joined(streams: readonly LiveStream[]): void {
    const ids = new Set(streams.map(({ stream_id }) => stream_id));
    for (const id of [...this.#held.keys()]) if (!ids.has(id)) this.#drop(id);
    for (const stream of streams) this.#hold(stream);
    this.#draw();
  }

  #start(stream: EventData<"stream:start">): void {
    if (!this.#held.has(stream.stream_id)) this.#hold({ ...stream, content: "", status: null });
    this.#draw();
  }

  #grow({ stream_id: id, offset, delta, status, activity }: EventData<"stream:delta">): void {
    const held = this.#held.get(id);
    if (held === undefined) {
      void this.#refresh(id);
      return;
    }
    if (delta !== "") held.early.set(offset, delta);
    const content = withPieces(held.stream.content, held.early);
    held.stream = {
      ...held.stream,
      content,
      ...(status === undefined ? {} : { status }),
      ...(activity === undefined ? {} : { activity: mergeActivity(held.stream.activity ?? [], activity) }),
    };
    this.#watch(id, held);
    this.#draw();
  }

  #end({ stream_id: id, message_id }: EventData<"stream:end">): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    // The list shows the message instead, as soon as it has it.
    if (message_id !== null) this.#dropIn(id, held, ARRIVES_MS);
    else this.#drop(id);
    this.#draw();
  }

  #hold(stream: LiveStream): void {
    const before = this.#held.get(stream.stream_id);
    const isOlder = before !== undefined && before.stream.content.length > stream.content.length;
    const held: Held = {
      stream: isOlder ? withNewer(stream, before.stream) : stream,
      early: before?.early ?? new Map(),
      timer: before?.timer,
      shown: null,
    };
    held.stream = { ...held.stream, content: withPieces(held.stream.content, held.early) };
    this.#held.set(stream.stream_id, held);
    this.#watch(stream.stream_id, held);
  }

  /** Reads the stream if a piece stays missing, or if nothing comes any more. */
  #watch(id: number, held: Held): void {
    held.shown = null;
    clearTimeout(held.timer);
    held.timer = setTimeout(() => void this.#refresh(id), held.early.size > 0 ? GAP_MS : SILENT_MS);
  }

  #dropIn(id: number, held: Held, ms: number): void {
    clearTimeout(held.timer);
    held.timer = setTimeout(() => {
      this.#drop(id);
      this.#draw();
    }, ms);
  }

  #drop(id: number): void {
    clearTimeout(this.#held.get(id)?.timer);
    this.#held.delete(id);
  }

  async #refresh(id: number): Promise<void> {
    if (this.#reading.has(id)) return;
    this.#reading.add(id);
    try {
      const { state, ...stream } = await this.#read(id);
      if (state === "open") this.#hold(stream);
      else this.#drop(id);
    } catch {
      // The next piece, or the next join, tries again.
      this.#drop(id);
    } finally {
      this.#reading.delete(id);
      this.#draw();
    }
  }

  readonly #draw = oncePerFrame(() => {
    this.#all.set(
      [...this.#held.values()].map((held) => {
        held.shown ??= shownOf(held.stream);
        return held.shown;
      }),
    );
  });
}

/** Returns a stream that was read with what has arrived since. */
function withNewer(read: LiveStream, { content, activity = [] }: LiveStream): LiveStream {
  const acts = mergeActivity(read.activity ?? [], activity);
  return { ...read, content, ...(acts.length === 0 ? {} : { activity: acts }) };
}

/** Returns the text with the pieces that continue it, and forgets them and those that it has. */
export function withPieces(content: string, early: Map<number, string>): string {
  let text = content;
  for (const [offset, piece] of [...early].sort(([one], [other]) => one - other)) {
    if (offset > text.length) break;
    early.delete(offset);
    text += piece.slice(text.length - offset);
  }
  return text;
}

function shownOf(stream: LiveStream): GrowingMessage {
  const { stream_id, channel_id, content, agent_id, agent_name, reply_to_id, thread_root_id, also_in_channel } = stream;
  return {
    streamId: stream_id,
    status: stream.status,
    message: {
      ...usualFields(),
      id: -stream_id,
      channel_id,
      channel_slug: "",
      seq: 0,
      content,
      sender_type: "agent",
      agent_name,
      agent_id,
      reply_to_id,
      thread_root_id,
      also_in_channel,
      stream_id,
      created_at: stream.created_at,
      ...(stream.activity === undefined ? {} : { activity: stream.activity }),
    },
  };
}

import type { LiveStream, StreamResponse } from "@parley/protocol/streams";
import { Store } from "../../state/store.ts";
import type { GrowingEvent, GrowingMessage } from "./growing-message.ts";
import type { GrowingMessages } from "./growing-messages.ts";

/** The messages that agents are writing in a channel and its threads. What keeps them loads with the first one. */
export class Growing {
  readonly all = new Store<readonly GrowingMessage[]>([]);
  readonly #read: (streamId: number) => Promise<StreamResponse["stream"]>;
  #messages: Promise<GrowingMessages> | null = null;

  constructor(read: (streamId: number) => Promise<StreamResponse["stream"]>) {
    this.#read = read;
  }

  /** Shows what is being written when the channel is joined, and nothing else. */
  joined(streams: readonly LiveStream[] = []): void {
    if (streams.length > 0 || this.#messages !== null) this.#with((messages) => messages.joined(streams));
  }

  take(event: GrowingEvent): void {
    this.#with((messages) => messages.take(event));
  }

  #with(act: (messages: GrowingMessages) => void): void {
    this.#messages ??= import("./growing-messages.ts").then((code) => new code.GrowingMessages(this.all, this.#read));
    this.#messages.then(act, () => {
      // The next event tries again. The messages are shown when they are sent.
      this.#messages = null;
    });
  }
}

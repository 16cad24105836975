import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { ChatMessage } from "@parley/protocol/models";
import type { RealtimeEvent } from "@parley/sdk";
import type { ChannelSession } from "../../model/channel-session.ts";
import type { Parley } from "../../session/parley.ts";
import { retryUntilDone } from "../../state/retry.ts";
import { Store } from "../../state/store.ts";

/** The sessions of agents in the threads of a channel; the session that changed last comes first. */
export type Sessions = readonly AgentSession[];

/** Messages that sessions name: the roots of their threads, and open cards. null: the reader sees no such message. */
export type NamedMessages = ReadonlyMap<number, ChatMessage | null>;

/**
 * The sessions of a channel, while somebody looks at them. Their events have no `seq`, so the list is read again after
 * each join.
 */
export class SessionList {
  readonly sessions = new Store<Sessions>([]);
  readonly messages = new Store<NamedMessages>(new Map());
  readonly #parley: Parley;
  readonly #channelSession: ChannelSession;
  /** Events that arrived while the list is read. They may be newer than the answer. */
  #arrived: AgentSession[] = [];
  #watchers = 0;
  #stop = () => {};

  constructor(parley: Parley, channelSession: ChannelSession) {
    this.#parley = parley;
    this.#channelSession = channelSession;
  }

  /** Keeps the list up to date until the returned function is called. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#start();
    return () => {
      if (--this.#watchers === 0) this.#stop();
    };
  }

  #start(): void {
    const { live, session } = this.#parley;
    let stopReading = () => {};
    const read = () => {
      stopReading();
      // The list is an extra: a node of an older release has none, and the next join tries again.
      stopReading = retryUntilDone(
        () => this.#read(),
        () => {},
      );
    };
    const ends = [
      live.onEvent((event) => this.#take(event)),
      this.#channelSession.joined.subscribe(read),
      session.subscribe(read),
    ];
    read();
    this.#stop = () => {
      stopReading();
      for (const end of ends) end();
    };
  }

  async #read(): Promise<void> {
    this.#arrived = [];
    const { sessions } = await this.#parley.client.channels.sessions(this.#channelSession.id);
    this.messages.set(new Map());
    this.#show(this.#arrived.reduce<Sessions>(withSession, sessions));
  }

  #take({ event, data }: RealtimeEvent): void {
    if (!("channel_id" in data) || data.channel_id !== this.#channelSession.id) return;
    if (event === "agent:session") {
      this.#arrived.push(data);
      this.#show(withSession(this.sessions.get(), data));
    }
    // A session ends with the root of its thread.
    if (event === "message:delete")
      this.sessions.change((all) =>
        all.some(({ thread_root_id }) => thread_root_id === data.message_id)
          ? all.filter(({ thread_root_id }) => thread_root_id !== data.message_id)
          : all,
      );
  }

  #show(sessions: Sessions): void {
    this.sessions.set(sessions);
    void this.#readNamed();
  }

  /** Reads the messages that are named and not known, so many as the server gives at once. */
  async #readNamed(): Promise<void> {
    const known = this.messages.get();
    const ids = this.sessions
      .get()
      .flatMap(({ thread_root_id, interaction_id }) => [thread_root_id, interaction_id ?? []].flat());
    const missing = [...new Set(ids)].filter((id) => !known.has(id)).slice(0, 50);
    if (missing.length === 0) return;
    // Each is asked for once.
    this.messages.set(new Map([...known, ...missing.map((id) => [id, null] as const)]));
    try {
      const { messages } = await this.#parley.client.messages.list({
        channel_id: this.#channelSession.id,
        ids: missing.join(","),
      });
      this.messages.change((all) => new Map([...all, ...messages.map((message) => [message.id, message] as const)]));
    } catch {
      // A session without a title is shown without the words of its message, until the next join.
    }
  }
}

/** Returns the sessions with one that has changed, which is then the newest. */
export const withSession = (all: Sessions, changed: AgentSession): Sessions => [
  changed,
  ...all.filter(
    ({ agent_id, thread_root_id }) => agent_id !== changed.agent_id || thread_root_id !== changed.thread_root_id,
  ),
];

const lists = new WeakMap<ChannelSession, SessionList>();

/** Returns the sessions of a channel, which all parts of the page share. */
export function sessionListOf(parley: Parley, channelSession: ChannelSession): SessionList {
  const known = lists.get(channelSession);
  if (known !== undefined) return known;
  const made = new SessionList(parley, channelSession);
  lists.set(channelSession, made);
  return made;
}

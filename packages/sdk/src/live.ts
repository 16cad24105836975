import type { LoginBody } from "@parley/protocol/accounts";
import type { EventData } from "@parley/protocol/events";
import type { SendMessageAnswer, SendMessageBody } from "@parley/protocol/messages";
import type { CommandAck, CommandData, CommandName } from "@parley/protocol/realtime";
import { BACK_OFF, CLOSE, waitAfterClose, waitMs } from "./back-off.ts";
import { ParleyError } from "./errors.ts";
import { newKey } from "./keys.ts";
import { type Frame, Link } from "./link.ts";
import { Listeners } from "./listeners.ts";
import type { LiveEvent, LiveOptions, LiveState } from "./live-types.ts";
import { PACE } from "./outbox.ts";
import { type Answer, PendingCommands } from "./pending.ts";

interface Parts {
  url: string;
  /** Asked at each attempt: the session may have changed. */
  credentials(): Record<string, string>;
}

type User = EventData<"session:ready">["user"];

/** Who was live for so long starts anew with short waits. */
const SETTLED_MS = 5_000;
/** Sent again on the next socket when their answer was lost: a send has its key, and deleting or reacting again changes nothing. */
const REPEATABLE: readonly string[] = [
  "message:send",
  "message:delete",
  "channel:read",
  "reaction:add",
  "reaction:remove",
  "ping",
];
/** Old news by the time there is a connection again. */
const FLEETING: readonly string[] = ["typing:start", "typing:stop"];

/**
 * A socket to the server that comes back by itself.
 *
 * Promises: events are told in the order the server sent them, and none of an earlier socket after the first of a later one. A command
 * given while there is no connection waits for one. A command whose answer was lost is repeated where that is safe (`send`), else it
 * fails with `connection_lost`; none is sent as another user than it was given by (`session_over`). After 4401 and 4403, or when the session
 * turns out to be over, it does not try again by itself.
 */
export class LiveConnection implements Disposable {
  readonly #parts: Parts;
  readonly #options: LiveOptions;
  readonly #pending = new PendingCommands();
  readonly #events = new Listeners<LiveEvent>();
  readonly #states = new Listeners<LiveState>();
  #state: LiveState = "ended";
  #error: ParleyError | null = null;
  #link: Link | null = null;
  #epoch: string | null = null;
  #user: User = null;
  #attempt = 0;
  #liveSince = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** Opens at once. */
  constructor(parts: Parts, options: LiveOptions = {}) {
    this.#parts = parts;
    this.#options = options;
    this.open();
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Why it ended; null unless it did. */
  get error(): ParleyError | null {
    return this.#error;
  }

  /** Who the server takes one for; null: a guest. */
  get user(): User {
    return this.#user;
  }

  /** Names the incarnation of the server's data; null before the first connection. */
  get epoch(): string | null {
    return this.#epoch;
  }

  /** Connects: after it ended, or at once instead of after the wait (the network is back). */
  open(): void {
    if (this.#link !== null) return;
    if (this.#state === "ended") this.#user = null;
    this.#error = null;
    this.#attempt = 0;
    this.#connect();
  }

  /** Connects anew at once, to be who the client is by now: after a login or a logout. */
  reopen(): void {
    this.#link?.fail();
    if (this.#user !== null) this.#pending.fail(sessionOver());
    this.#user = null;
    this.open();
  }

  /** Ends it; commands without an answer fail with `connection_closed`. */
  close(): void {
    this.#end(new ParleyError("connection_closed", "The connection was closed here."));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Hears every event. Gives back what ends that. */
  onEvent(listener: (event: LiveEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Hears every change of state. Gives back what ends that. */
  onState(listener: (state: LiveState) => void): () => void {
    return this.#states.add(listener);
  }

  /** Sends a command; resolves with its ack, throws `ParleyError`. A signal ends the waiting, not what is on its way. */
  command<N extends CommandName>(event: N, data: CommandData<N>, signal?: AbortSignal): Promise<CommandAck<N>> {
    return new Promise((resolve, reject) => {
      const isHopeless = this.#state === "ended" || (FLEETING.includes(event) && this.#state !== "live");
      if (isHopeless) return reject(this.#error ?? new ParleyError("connection_lost", "There is no connection."));
      if (signal?.aborted === true) return reject(signal.reason);
      const answered = (answer: Answer) => {
        if (answer.event === "ack") resolve(answer.data as CommandAck<N>);
        else reject(ParleyError.fromBody(answer.data));
      };
      const repeatable = REPEATABLE.includes(event);
      const ref = this.#pending.add({ event, data, repeatable, bound: false, answered, failed: reject });
      const abort = () => {
        this.#pending.remove(ref);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      if (this.#state === "live") this.#dispatch(ref);
    });
  }

  /** Sends a message once, whatever happens to the connection meanwhile. */
  send(body: SendMessageBody, signal?: AbortSignal): Promise<SendMessageAnswer> {
    return this.command("message:send", { ...body, client_msg_id: body.client_msg_id ?? newKey() }, signal);
  }

  /**
   * A command of this socket alone, for what is built on top: `answered` runs before anything the server pushed after its answer;
   * `failed`, when the socket is lost first.
   */
  ask(event: CommandName, data: unknown, answered: (answer: Answer) => void, failed: () => void): void {
    this.#dispatch(this.#pending.add({ event, data, repeatable: false, bound: true, answered, failed }));
  }

  #dispatch(ref: number): void {
    const frame = this.#link === null ? null : this.#pending.take(ref);
    if (frame !== null) this.#link?.send(frame);
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#setState("connecting");
    try {
      this.#link = new Link({
        url: this.#parts.url,
        headers: this.#parts.credentials(),
        pace: this.#options.pace ?? PACE,
        pingMs: (this.#options.pingSeconds ?? 20) * 1_000,
        onFrame: (frame) => this.#receive(frame),
        onLost: (code, reason) => this.#lost(code, reason),
      });
    } catch (cause) {
      this.#end(new ParleyError("network_error", String(cause), { cause }));
    }
  }

  #receive(frame: Frame): void {
    if (frame.event === "ack" || frame.event === "error") {
      this.#pending.answer(frame.ref, frame as Answer);
      return;
    }
    const event = frame as LiveEvent;
    if (event.event !== "session:ready" || this.#ready(event.data)) this.#events.tell(event);
  }

  /** The server says who one is; false: not yet, or no longer, who one wants to be. */
  #ready({ epoch, user }: EventData<"session:ready">): boolean {
    const { login } = this.#options;
    this.#epoch = epoch;
    if (user === null && login !== undefined) {
      this.#logIn(login);
      return false;
    }
    if (user === null && this.#user !== null) {
      this.#end(sessionOver());
      return false;
    }
    // Somebody else has logged in, on another page of this browser.
    if (this.#user !== null && user?.username !== this.#user.username) this.#pending.fail(sessionOver());
    this.#user = user;
    this.#link?.start();
    this.#liveSince = performance.now();
    // First those who join channels, so that one's own messages come as they come to others; then what waited.
    this.#setState("live");
    for (const ref of this.#pending.unsent()) this.#dispatch(ref);
    return true;
  }

  #logIn(login: LoginBody): void {
    const answered = (answer: Answer) => {
      if (answer.event === "ack") return;
      const error = ParleyError.fromBody(answer.data);
      if (error.retryAfter === undefined) return this.#end(error);
      this.#link?.drop();
      this.#lost(CLOSE.restart, "", error.retryAfter * 1_000);
    };
    this.ask("auth:login", login, answered, () => {});
  }

  #lost(code: number, reason: string, atLeastMs = 0): void {
    this.#link = null;
    if (this.#state === "live" && performance.now() - this.#liveSince >= SETTLED_MS) this.#attempt = 0;
    const { backOff = BACK_OFF, login } = this.#options;
    const isOver = code === CLOSE.sessionOver;
    // One who can log in anew does so, after a wait.
    const canLogIn = isOver && login !== undefined;
    const wait = (canLogIn ? waitMs : waitAfterClose.bind(null, code))(this.#attempt, backOff, Math.random());
    if (wait === null) {
      const text = `The server ended the connection${reason === "" ? "" : `: ${reason}`}.`;
      this.#end(new ParleyError(isOver ? "session_over" : "access_ended", text, { status: isOver ? 401 : 403 }));
      return;
    }
    this.#attempt += 1;
    this.#pending.lost();
    this.#retry = setTimeout(() => this.#connect(), Math.max(wait, atLeastMs));
    this.#setState("waiting");
  }

  #end(error: ParleyError): void {
    clearTimeout(this.#retry);
    this.#link?.drop();
    this.#link = null;
    this.#error = error;
    this.#setState("ended");
    this.#pending.fail(error);
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#states.tell(state);
  }
}

const sessionOver = () => new ParleyError("session_over", "The session is over; log in again.", { status: 401 });

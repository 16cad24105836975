import type { EventData } from "@parley/protocol/events";
import type { SendMessageResponse } from "@parley/protocol/messages";
import type { CommandAck, CommandData, CommandName } from "@parley/protocol/realtime";
import { BACKOFF, CLOSE, RESTART_SPREAD_MS, waitAfterClose, waitMs } from "../backoff.ts";
import { ParleyError } from "../errors.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { Listeners, type OnError } from "./listeners.ts";
import { type Answer, PendingCommands } from "./pending-commands.ts";
import type { CommandOptions, RealtimeEvent, RealtimeOptions, RealtimeState } from "./realtime-types.ts";
import { SOCKET_RATE_LIMIT } from "./send-queue.ts";
import { closedError, loginCommand, sessionOver } from "./socket-identity.ts";
import { type Frame, SocketConnection, socketClass } from "./websocket.ts";

interface Dependencies {
  url: string;
  /** Called at each attempt: the session may have changed. */
  credentials(): Record<string, string>;
}

type User = EventData<"session:ready">["user"];
type Agent = NonNullable<EventData<"session:ready">["agent"]>;

/** A connection that was live for this long resets the backoff. */
const SETTLED_MS = 5_000;
/**
 * Commands retried on the next socket when their answer was lost: a send has its key, and repeated deletes and
 * reactions are idempotent.
 */
const IDEMPOTENT: readonly string[] = [
  "message:send",
  "message:delete",
  "channel:read",
  "reaction:add",
  "reaction:remove",
  "ping",
];
/** Commands that are obsolete by the time of a reconnect. */
const VOLATILE: readonly string[] = ["typing:start", "typing:stop", "page:visible"];

/**
 * A socket to the server that reconnects automatically.
 *
 * Promises: events are delivered in the order the server sent them. After a reconnect, no event of the old socket is
 * delivered. A command given while disconnected waits for a connection. A command whose answer was lost is retried
 * where that is safe (`send`), else it fails with `connection_lost`; none is sent as a different user than the one who
 * gave it (`session_over`). After 4401 and 4403, or when the session turns out to have ended, it does not reconnect
 * automatically.
 */
export class RealtimeClient implements Disposable {
  readonly #dependencies: Dependencies;
  readonly #options: RealtimeOptions;
  readonly #pending = new PendingCommands();
  readonly #events: Listeners<RealtimeEvent>;
  readonly #states: Listeners<RealtimeState>;
  #state: RealtimeState = "ended";
  #error: ParleyError | null = null;
  #socket: SocketConnection | null = null;
  #epoch: string | null = null;
  #user: User = null;
  #agent: Agent | null = null;
  #attempt = 0;
  #liveSince = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Over how long the clients of a restarting server spread their return. */
  #spreadMs = RESTART_SPREAD_MS;

  /** Opens at once. Throws if this runtime has no WebSocket and the options have none. */
  constructor(dependencies: Dependencies, options: RealtimeOptions = {}) {
    this.#dependencies = dependencies;
    this.#options = { ...options, WebSocket: socketClass(options.WebSocket) };
    this.#events = new Listeners(options.onError);
    this.#states = new Listeners(options.onError);
    this.open();
  }

  get state(): RealtimeState {
    return this.#state;
  }

  /** The handler given as an option; code that builds on this class reports to it, too. */
  get onError(): OnError | undefined {
    return this.#options.onError;
  }

  /** Why it ended; null if it has not. */
  get error(): ParleyError | null {
    return this.#error;
  }

  /** The user the server has authenticated; null: a guest or an agent. */
  get user(): User {
    return this.#user;
  }

  /** The agent the server has authenticated. */
  get agent(): Agent | null {
    return this.#agent;
  }

  /** The epoch of the server's data; null before the first connection. */
  get epoch(): string | null {
    return this.#epoch;
  }

  /** Connects: after it ended, or at once instead of after the wait (the network is back). */
  open(): void {
    if (this.#socket !== null) return;
    if (this.#state === "ended") this.#user = null;
    this.#error = null;
    this.#attempt = 0;
    this.#connect();
  }

  /** Reconnects at once with the client's current identity: after a login or a logout. */
  reopen(): void {
    this.#socket?.fail();
    if (this.#user !== null) this.#pending.fail(sessionOver());
    this.#user = null;
    this.open();
  }

  /** Ends the connection; pending commands fail with `connection_closed`. */
  close(): void {
    this.#end(new ParleyError("connection_closed", "The connection was closed here."));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Listens to every event. Returns a function that stops it. */
  onEvent(listener: (event: RealtimeEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Listens to every change of state. Returns a function that stops it. */
  onState(listener: (state: RealtimeState) => void): () => void {
    return this.#states.add(listener);
  }

  /**
   * Sends a command; resolves with its ack, throws `ParleyError`. A signal or a timeout (default: none) ends the wait, not
   * a command that was already sent.
   */
  command<N extends CommandName>(
    event: N,
    data: CommandData<N>,
    { signal, timeoutMs }: CommandOptions = {},
  ): Promise<CommandAck<N>> {
    return new Promise((resolve, reject) => {
      const isHopeless = this.#state === "ended" || (VOLATILE.includes(event) && this.#state !== "live");
      if (isHopeless) return reject(this.#error ?? new ParleyError("connection_lost", "There is no connection."));
      if (signal?.aborted === true) return reject(signal.reason);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const fail = (error: unknown) => {
        settle();
        reject(error);
      };
      const answered = (answer: Answer) => {
        if (answer.event === "error") return fail(ParleyError.fromBody(answer.data));
        settle();
        resolve(answer.data as CommandAck<N>);
      };
      const idempotent = IDEMPOTENT.includes(event);
      const ref = this.#pending.add({ event, data, idempotent, bound: false, answered, failed: fail });
      const giveUp = (reason: unknown) => {
        this.#pending.remove(ref);
        fail(reason);
      };
      const abort = () => giveUp(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      if (timeoutMs !== undefined) {
        timer = setTimeout(() => giveUp(new ParleyError("timeout", `${event}: no response in time.`)), timeoutMs);
      }
      if (this.#state === "live") this.#dispatch(ref);
    });
  }

  /** Sends a message once, across disconnects. */
  send(body: CommandData<"message:send">, options?: CommandOptions): Promise<SendMessageResponse> {
    return this.command("message:send", { ...body, client_msg_id: body.client_msg_id ?? newIdempotencyKey() }, options);
  }

  /**
   * Sends a command on this socket only. Only `ChannelSubscription` uses it: `answered` runs before any later push of
   * the server; `failed` runs when the socket is lost first.
   * @internal
   */
  ask(event: CommandName, data: unknown, answered: (answer: Answer) => void, failed: () => void): void {
    this.#dispatch(this.#pending.add({ event, data, idempotent: false, bound: true, answered, failed }));
  }

  #dispatch(ref: number): void {
    const frame = this.#socket === null ? null : this.#pending.take(ref);
    if (frame !== null) this.#socket?.send(frame);
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#setState("connecting");
    try {
      this.#socket = new SocketConnection({
        url: this.#dependencies.url,
        headers: this.#dependencies.credentials(),
        WebSocket: this.#options.WebSocket,
        rateLimit: this.#options.rateLimit ?? SOCKET_RATE_LIMIT,
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
    const event = frame as RealtimeEvent;
    // An older server names no time.
    if (event.event === "server:draining") this.#spreadMs = event.data.retry_within_ms ?? RESTART_SPREAD_MS;
    if (event.event !== "session:ready" || this.#ready(event.data)) this.#events.emit(event);
  }

  /** Handles the identity that the server reports; false if it is not, or no longer, the wanted one. */
  #ready({ epoch, user, agent }: EventData<"session:ready">): boolean {
    const login = loginCommand(this.#options);
    this.#epoch = epoch;
    if (user === null && agent === undefined && login !== null) {
      this.#logIn(login);
      return false;
    }
    if (user === null && this.#user !== null) {
      this.#end(sessionOver());
      return false;
    }
    // Another user has logged in, on another page of this browser.
    if (this.#user !== null && user?.username !== this.#user.username) this.#pending.fail(sessionOver());
    this.#user = user;
    this.#agent = agent ?? null;
    this.#socket?.start();
    this.#liveSince = performance.now();
    // Rejoin channels before sending queued messages; otherwise the events of those messages would be missed.
    this.#setState("live");
    for (const ref of this.#pending.unsent()) this.#dispatch(ref);
    return true;
  }

  #logIn({ event, data }: NonNullable<ReturnType<typeof loginCommand>>): void {
    const answered = (answer: Answer) => {
      if (answer.event === "ack") return;
      const error = ParleyError.fromBody(answer.data);
      if (error.retryAfter === undefined) return this.#end(error);
      this.#socket?.drop();
      this.#lost(CLOSE.restart, "", error.retryAfter * 1_000);
    };
    this.ask(event, data, answered, () => {});
  }

  #lost(code: number, reason: string, atLeastMs = 0): void {
    this.#socket = null;
    if (this.#state === "live" && performance.now() - this.#liveSince >= SETTLED_MS) this.#attempt = 0;
    const { backoff = BACKOFF, login } = this.#options;
    // A connection with login credentials logs in again, after a wait.
    const canLogIn = code === CLOSE.sessionOver && login !== undefined;
    const wait = canLogIn
      ? waitMs(this.#attempt, backoff, Math.random())
      : waitAfterClose(code, this.#attempt, backoff, Math.random(), this.#spreadMs);
    this.#spreadMs = RESTART_SPREAD_MS;
    if (wait === null) {
      this.#end(closedError(code, reason));
      return;
    }
    this.#attempt += 1;
    this.#pending.lost();
    this.#retry = setTimeout(() => this.#connect(), Math.max(wait, atLeastMs));
    this.#setState("waiting");
  }

  #end(error: ParleyError): void {
    clearTimeout(this.#retry);
    this.#socket?.drop();
    this.#socket = null;
    this.#error = error;
    this.#setState("ended");
    this.#pending.fail(error);
  }

  #setState(state: RealtimeState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#states.emit(state);
  }
}

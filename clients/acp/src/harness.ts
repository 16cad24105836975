import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from "@agentclientprotocol/sdk";
import {
  type AgentClient,
  type AgentItem,
  type ChatMessage,
  type MessageItem,
  type NoticeItem,
  ParleyError,
} from "@parley/sdk";
import { dropReports } from "../../shared/src/reports.ts";
import { declareCommands } from "./declare-commands.ts";
import type { OpenSession } from "./open-session.ts";
import { CANCELLED } from "./permission.ts";
import { type Place, placeOf, threadOf } from "./place.ts";
import { cancelOpenCards } from "./restart.ts";
import { Turn, type TurnContext } from "./turn.ts";
import { asksToStop, verdictOn } from "./who-may.ts";

/** A turn that has ended the program so often is given up. */
const ATTEMPTS_MAX = 3;
/** People who were told that the agent does not work for them, and are told only once. */
const REFUSED_MAX = 1_000;

/** A conversation: the messages that wait, and the one that is worked on. */
interface Session {
  place: Place;
  waiting: MessageItem[];
  turn: Turn | null;
  cwd: string | null;
}

export interface HarnessOptions extends Omit<TurnContext, "onSession"> {
  client: AgentClient;
  /** Ends the harness with an error, or without one. */
  signal: AbortSignal;
  fail(error: unknown): void;
}

/** Gives the messages of the inbox to the agent: those of one place in order, those of several side by side. */
export class Harness {
  readonly #of: HarnessOptions;
  readonly #context: TurnContext;
  readonly #sessions = new Map<string, Session>();
  /** The turns by the agent's own session. */
  readonly #turns = new Map<string, Turn>();
  readonly #running = new Set<Promise<void>>();
  readonly #refused = new Set<string>();
  readonly #joined = new Set<string>();

  constructor(options: HarnessOptions) {
    this.#of = options;
    this.#context = { ...options, onSession: (session, turn) => this.#onSession(session, turn) };
    options.signal.addEventListener("abort", () => this.#stopAll(), { once: true });
  }

  /** Handles an item of the inbox. Resolves at once; the work goes on. */
  async take(item: AgentItem): Promise<void> {
    if (item.kind === "notice" && item.notice.type === "stopped") return this.#onStop(item);
    if (item.kind !== "mention" && item.kind !== "direct") return this.#acknowledge(item);
    const verdict = verdictOn(this.#of.options.allowed, item.chat_message);
    if (verdict === "silence" || item.chat_message.is_deleted) return this.#acknowledge(item);
    if (verdict === "refuse") return this.#refuse(item);
    const place = placeOf(item);
    const session = this.#sessions.get(place.key) ?? { place, waiting: [], turn: null, cwd: null };
    this.#sessions.set(place.key, session);
    if (asksToStop(item.chat_message)) return this.#stopSession(session, item);
    // An inbox that is read again has what waits here already.
    const isKnown = [session.turn?.item, ...session.waiting].some((each) => each?.item_id === item.item_id);
    if (isKnown) return;
    session.waiting.push(item);
    this.#start();
  }

  /** Says once to each person that the agent does not work for them. */
  async #refuse(item: MessageItem): Promise<void> {
    const { username } = item.chat_message;
    const key = `${username}/${placeOf(item).channelId}`;
    if (!this.#refused.has(key) && this.#refused.size < REFUSED_MAX) {
      this.#refused.add(key);
      const text = this.#of.options.allowed.members
        ? "I work for members of this channel only."
        : "I work only for my owner.";
      await this.#tell(item, text);
    }
    await this.#acknowledge(item);
  }

  async #stopSession(session: Session, item: MessageItem): Promise<void> {
    const dropped = session.waiting.splice(0);
    const wasRunning = session.turn !== null;
    session.turn?.stop("stopped");
    for (const each of dropped) await this.#acknowledge(each);
    if (dropped.length > 0) await this.#tell(item, `${dropped.length} waiting messages are dropped, too.`);
    else if (!wasRunning) await this.#tell(item, "Nothing runs here.");
    await this.#acknowledge(item);
  }

  /** Somebody who may do so stops what runs in a place. What waits there was asked for separately, and follows. */
  async #onStop(item: NoticeItem): Promise<void> {
    const root = item.notice.details?.thread_root_id ?? null;
    for (const { place, turn } of this.#sessions.values()) {
      if (turn === null || place.channelId !== item.channel_id) continue;
      if (place.rootId === root || turn.item.chat_message.id === root) turn.stop("stopped");
    }
    await this.#acknowledge(item);
  }

  async #tell(item: MessageItem, text: string): Promise<void> {
    try {
      await this.#of.client.reply(item, text, { maxRetries: 10 });
    } catch (error) {
      this.#of.say(`A message could not be sent: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Starts turns as long as fewer than `--sessions` run. */
  #start(): void {
    for (const session of this.#sessions.values()) {
      if (this.#running.size >= this.#of.options.sessions || this.#of.signal.aborted) return;
      const [item] = session.waiting;
      if (session.turn !== null || item === undefined) continue;
      session.waiting.shift();
      const turn = new Turn(this.#context, item, session.place);
      session.turn = turn;
      const run = this.#run(turn, item)
        .catch((error) => this.#of.fail(error))
        .finally(() => {
          this.#running.delete(run);
          this.#ended(session);
          this.#start();
        });
      this.#running.add(run);
    }
  }

  #ended(session: Session): void {
    for (const [id, turn] of this.#turns) if (turn === session.turn) this.#turns.delete(id);
    session.turn = null;
    session.cwd = null;
    if (session.waiting.length === 0) this.#sessions.delete(session.place.key);
  }

  /**
   * Shows the agent online where it works. It hears of messages that are deleted only in channels where it is online.
   */
  async #join(channel: string): Promise<void> {
    if (this.#joined.has(channel)) return;
    this.#joined.add(channel);
    try {
      await this.#of.client.login(channel, {}, { maxRetries: 10 });
    } catch (error) {
      if (!(error instanceof ParleyError) || error.status === 401) throw error;
      this.#of.say(`The agent is not shown online in ${channel}: ${error.message}`);
    }
  }

  async #run(turn: Turn, item: MessageItem): Promise<void> {
    const { state } = this.#of;
    await this.#join(turn.place.channel);
    const earlier = state.turn(item.item_id);
    if (earlier?.final !== undefined) await turn.resend(earlier.final);
    else {
      if (earlier !== null) {
        const left = { place: turn.place, itemId: item.item_id, noted: earlier.cards };
        await cancelOpenCards(this.#of.asking, left, this.#of.say);
      }
      const attempt = state.beginTurn(item.item_id);
      if (attempt >= ATTEMPTS_MAX)
        await turn.tell("given-up", `This turn was interrupted ${attempt} times, so I leave it.`);
      else {
        if (attempt > 0)
          await turn.tell(
            `again-${attempt}`,
            "I was started again, and this turn runs again from its beginning. What was done to files before is not undone.",
          );
        turn.attempt = attempt;
        await turn.run();
      }
    }
    if (turn.stopReason === "over") return;
    await this.#acknowledge(item);
    state.endTurn(item.item_id);
    await dropReports(this.#of.client, this.#of.say);
  }

  /** The item stays in the inbox until its work is done, so that a crash loses nothing. */
  async #acknowledge(item: AgentItem): Promise<void> {
    await this.#of.client.ack(item, { maxRetries: 1_000, signal: this.#of.signal });
  }

  #onSession(session: OpenSession, turn: Turn): void {
    this.#turns.set(session.id, turn);
    const own = this.#sessions.get(turn.place.key);
    if (own === undefined) return;
    own.cwd = session.cwd;
    const others = [...this.#sessions.values()].filter((each) => each !== own && each.cwd === session.cwd);
    if (others.length > 0 && session.start !== "continued")
      void turn.tell("folder", "Another conversation works in the same folder at this time.");
  }

  onUpdate({ sessionId, update }: SessionNotification): void {
    if (update.sessionUpdate === "available_commands_update") {
      declareCommands(this.#of.client, update.availableCommands, this.#of.say);
      return;
    }
    // What comes after a turn has ended, or for a session that is not known, is nobody's.
    this.#turns.get(sessionId)?.onUpdate(update);
  }

  async onPermission(request: RequestPermissionRequest, gone: AbortSignal): Promise<RequestPermissionResponse> {
    return (await this.#turns.get(request.sessionId)?.onPermission(request, gone)) ?? CANCELLED;
  }

  /** A message was deleted: the turn that works on it, or in its thread, ends. */
  onDeleted(messageId: ChatMessage["id"]): void {
    for (const session of this.#sessions.values()) {
      const isThread = threadOf(session.place).thread_root_id === messageId;
      for (const item of session.waiting.filter((each) => isThread || each.chat_message.id === messageId)) {
        session.waiting.splice(session.waiting.indexOf(item), 1);
        this.#acknowledge(item).catch((error) => this.#of.fail(error));
      }
      if (isThread || session.turn?.item.chat_message.id === messageId) session.turn?.stop("deleted");
    }
  }

  #stopAll(): void {
    for (const { turn } of this.#sessions.values()) turn?.stop("over");
  }

  /** Resolves when no turn runs any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { type MessageItem, ParleyError } from "@parley/sdk";
import { Activity, statusOf } from "./activity.ts";
import { type AgentProcess, needsLogin, type RunningAgent } from "./agent-process.ts";
import { Answer, StoppedByReader } from "./answer.ts";
import { folderNamed, forgetSession, type OpenSession, openSession } from "./open-session.ts";
import type { Options } from "./options.ts";
import { type Asking, askPermission, CANCELLED, isAllowed } from "./permission.ts";
import { type Place, threadOf } from "./place.ts";
import { promptOf } from "./prompt.ts";
import { LostTurn, promptAgent } from "./prompt-agent.ts";
import { cancelOpenCards } from "./restart.ts";
import { reportSession, type SessionState } from "./session-report.ts";
import type { State } from "./state.ts";
import type { Costs } from "./usage.ts";

const TYPING_MS = 5_000;

/** What a turn needs of the program. */
export interface TurnContext {
  asking: Asking;
  process: AgentProcess;
  state: State;
  options: Options;
  costs: Costs;
  /** Where files of messages are stored. */
  filesFolder: string;
  say(line: string): void;
  /** Called when the agent's session is known: updates of it belong to this turn from then on. */
  onSession(session: OpenSession, turn: Turn): void;
}

/** Why a turn ends before the agent ends it. `over`: the program ends, and the turn begins again at the next start. */
export type StopReason = "stopped" | "deleted" | "refused" | "over";

/** One message that the agent works on, from the prompt to the last text. */
export class Turn {
  readonly item: MessageItem;
  readonly place: Place;
  readonly #of: TurnContext;
  /** Which run of this turn it is; 0 is the first. */
  attempt = 0;
  readonly #activity = new Activity();
  readonly #answer: Answer;
  readonly #stop = new AbortController();
  /** Permissions are asked one after the other. */
  #questions: Promise<unknown> = Promise.resolve();
  #asked = 0;
  #isAsking = false;
  /** Aborted when the agent has ended its turn: it waits for no answer any more. */
  readonly #prompted = new AbortController();
  #reason: StopReason | null = null;
  #failure: unknown;
  #sessionId = "";
  /** One report after the other, so that the last one counts. */
  #reported: Promise<void> = Promise.resolve();
  #cost: ReturnType<Costs["since"]> = null;

  constructor(of: TurnContext, item: MessageItem, place: Place) {
    this.#of = of;
    this.item = item;
    this.place = place;
    this.#answer = new Answer({
      client: of.asking.client,
      place,
      replyTo: item.chat_message.id,
      keyPrefix: `acp-${item.item_id}-`,
      attempt: () => this.attempt,
      signal: this.#stop.signal,
      takeFields: () => {
        const [usage, activity] = [this.#cost, this.#activity.take()];
        this.#cost = null;
        return { ...(usage === null ? {} : { usage }), ...(activity.length === 0 ? {} : { activity }) };
      },
      onFinal: (final) => of.state.changeTurn(item.item_id, { final }),
      onFailure: (error) => this.#fail(error),
    });
  }

  /** Ends the turn as soon as the agent allows. */
  stop(reason: StopReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#stop.abort(new Error(reason));
  }

  get stopReason(): StopReason | null {
    return this.#reason;
  }

  /**
   * Works on the message. Resolves when nothing more is to do for it, or with `over` if it begins again later. Throws what
   * must end the program.
   */
  async run(): Promise<void> {
    const typing = setInterval(() => this.#type(), TYPING_MS);
    this.#type();
    this.#report("working");
    let state: SessionState = "done";
    try {
      await this.#work();
      if (this.#reason !== null) state = "failed";
    } catch (error) {
      state = "failed";
      if (needsLogin(error))
        await this.tell("login", "I am not logged in on my machine. My owner has to log in there.");
      await this.#onError(error);
    } finally {
      clearInterval(typing);
      this.#report(state);
    }
  }

  async #work(): Promise<void> {
    const { process, state, options } = this.#of;
    const agent = await process.running();
    const { folder, isUnknown } = folderNamed(this.item.chat_message.content, options.folders);
    if (isUnknown) {
      const names = options.folders.join(", ");
      return this.tell("cwd", `I may work in these folders only: ${names}`);
    }
    const session = await openSession(agent, state, this.place.key, options.folders, folder);
    if (session.start === "forgotten")
      await this.tell("forgotten", "This is a new session: I do not remember what was said here before.");
    this.#sessionId = session.id;
    if (session.start !== "continued") this.#of.costs.begin(session.id);
    this.#of.onSession(session, this);
    await this.#prompt(agent, session);
    this.#prompted.abort();
    process.worked();
    await this.#questions;
    await this.#end();
  }

  async #prompt(agent: RunningAgent, { id: sessionId }: OpenSession): Promise<void> {
    const prompt = await promptOf(
      this.#of.asking.client,
      this.item,
      agent.facts.agentCapabilities,
      this.#of.filesFolder,
    );
    if (this.#reason !== null) return;
    const end = await promptAgent(agent, { sessionId, prompt }, this.#stop.signal);
    // It still works on what nobody waits for: the next message gets another session.
    if (end === "deaf") forgetSession(agent, this.place.key);
  }

  /** Sends the last text, or says why there is none. */
  async #end(): Promise<void> {
    if (this.#reason === "over") return this.#answer.drop();
    if (this.#reason === "refused") {
      await this.#answer.drop();
      this.#of.say(`A turn was cancelled: ${this.#failure instanceof Error ? this.#failure.message : "refused"}`);
      return;
    }
    if (this.#reason !== null) {
      await this.#answer.drop();
      if (this.#reason === "stopped") await this.tell("stopped", "Stopped.");
      return;
    }
    this.#activity.endAll();
    if (this.#answer.isEmpty) this.#answer.write("(The agent ended its turn without a text.)");
    // What it did last is shown below a message.
    else if (this.#answer.isSilent && this.#activity.hasMore) this.#answer.write("(The agent ended its turn.)");
    await this.#answer.close({ isFinal: true });
  }

  async #onError(error: unknown): Promise<void> {
    await this.#answer.drop();
    if (this.#reason === "over") return;
    if (error instanceof LostTurn) {
      const text = "The turn was lost: the agent ended while it worked. What it did to files is not undone.";
      return this.tell("lost", text);
    }
    if (error instanceof ParleyError && error.status !== 401) return this.#of.say(`A turn failed: ${error.message}`);
    if (error instanceof ParleyError || needsLogin(error) || isFatal(error)) throw error;
    this.#of.say(`A turn failed: ${error instanceof Error ? error.message : String(error)}`);
    await this.tell(
      "failed",
      "The turn failed: the agent answered with an error. Its owner finds it in the program's output.",
    );
  }

  /** A message that is refused ends the turn: the guard, a budget, a right that ended, a thread that is gone, or the ✕ of the stream. */
  #fail(error: unknown): void {
    if (this.#reason !== null) return;
    this.#failure = error;
    const isCross = error instanceof StoppedByReader || (error instanceof ParleyError && error.is("stream_over"));
    this.stop(isCross ? "stopped" : "refused");
  }

  onUpdate(update: SessionUpdate): void {
    if (this.#reason !== null) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type === "text") this.#answer.write(update.content.text);
        break;
      case "tool_call":
      case "tool_call_update":
        this.#onCall(update);
        break;
      case "plan": {
        const step = update.entries.find(({ status }) => status === "in_progress");
        if (step !== undefined) this.#answer.status(step.content);
        break;
      }
      case "usage_update":
        this.#cost = this.#of.costs.since(this.#sessionId, update) ?? this.#cost;
        break;
      default: // thoughts stay with the agent, and newer kinds are unknown
    }
  }

  #onCall(update: ToolCallUpdate): void {
    const call = this.#activity.update(update);
    this.#answer.status(statusOf(call));
    const act = this.#activity.ended(call.toolCallId);
    if (act !== undefined) this.#answer.act(act);
  }

  /** Asks people. What the agent has written so far becomes a message first, because people take longer than a stream may wait. */
  onPermission(request: RequestPermissionRequest, agentGone: AbortSignal): Promise<RequestPermissionResponse> {
    const asked = this.#questions.then(async () => {
      const signal = AbortSignal.any([this.#stop.signal, this.#prompted.signal, agentGone]);
      if (signal.aborted) return CANCELLED;
      const { asking, state } = this.#of;
      const { item_id: itemId } = this.item;
      const number = this.#asked++;
      this.#isAsking = true;
      try {
        await this.#answer.close();
        const answer = await askPermission(asking, {
          request,
          activity: this.#activity,
          place: this.place,
          clientMsgId: `acp-${itemId}-${this.attempt}-card-${number}`,
          signal,
          onAsked: (id) => state.changeTurn(itemId, { cards: [...(state.turn(itemId)?.cards ?? []), id] }),
          tell: (what, text) => this.tell(what === "none" ? `card-${number}` : `card-${number}-${what}`, text),
        });
        // The card may have been sent although its answer did not arrive any more.
        if (signal.aborted && this.stopReason !== "over")
          await cancelOpenCards(asking, { place: this.place, itemId, noted: [] }, this.#of.say);
        if (!isAllowed(answer, request)) this.#activity.deny(request.toolCall.toolCallId);
        return answer;
      } catch (error) {
        // The agent gets no permission, and the turn ends. A place may not let this agent ask those people.
        if (error instanceof ParleyError && error.status !== 401 && this.#reason === null)
          await this.tell(`card-${number}`, `I cannot ask for a permission here: ${error.message}`);
        this.#fail(error);
        return CANCELLED;
      } finally {
        this.#isAsking = false;
      }
    });
    this.#questions = asked;
    return asked;
  }

  /** Sends a sentence of this program, once for each `what` of a turn. */
  async tell(what: string, text: string): Promise<void> {
    const { client } = this.#of.asking;
    const fields = { ...threadOf(this.place), client_msg_id: `acp-${this.item.item_id}-${what}` };
    try {
      await client.send(this.place.channel, text, fields, { maxRetries: 10 });
    } catch (error) {
      if (!(error instanceof ParleyError) || error.status === 401) throw error;
      this.#of.say(`A message could not be sent: ${error.message}`);
    }
  }

  /** The indicator is a courtesy: the work goes on without it. */
  #type(): void {
    if (this.#isAsking) return;
    const { client } = this.#of.asking;
    const place = { channel_slug: this.place.channel, ...threadOf(this.place), agent_name: client.name };
    client.calls.typing({ ...place, typing: true }, { maxRetries: 0 }).catch(() => {});
  }

  #report(state: SessionState): void {
    this.#reported = this.#reported
      .then(() => reportSession(this.#of.asking.client, this.place, this.item, state))
      .catch((error: unknown) =>
        this.#of.say(`The state of a session could not be shown: ${error instanceof Error ? error.message : error}`),
      );
  }

  /** Sends the answer of an earlier run that had only this left to do. */
  resend(final: Parameters<Answer["resend"]>[0]): Promise<void> {
    return this.#answer.resend(final);
  }
}

const isFatal = (error: unknown): boolean => error instanceof Error && "exitCode" in error;

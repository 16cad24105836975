import type { AgentSendBody } from "@parley/protocol/agents";
import type { InteractionInput, Receipt, ReceiptKeysResponse, SignedDecision } from "@parley/protocol/card-calls";
import type { CardElement, Components, Interaction } from "@parley/protocol/cards";
import type { ChatMessage } from "@parley/protocol/models";
import type { Backoff } from "./backoff.ts";
import type { Http } from "./http.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import { ReceiptError, verifyReceipt } from "./receipts.ts";
import type { RequestOptions } from "./request-options.ts";
import { AgentHub } from "./resources/agent.ts";
import { Interactions } from "./resources/interactions.ts";
import { retryForever } from "./retry.ts";

const WAIT_SECONDS = 30;

/** A button or select of a question. */
type Action = Exclude<CardElement, { type: "link" }>;

export interface AskOptions extends Omit<InteractionInput, "kind">, RequestOptions {
  /** Default: `approval`, or `choice` with `options`. */
  kind?: InteractionInput["kind"] | undefined;
  /** The buttons of a choice, each a row's element. An approval needs none: it has "Approve" and "Deny". */
  options?: readonly Omit<Extract<Action, { type: "button" }>, "type">[] | undefined;
  /** The whole card, instead of `options`. */
  components?: Components | undefined;
  /** Makes the question one question across runs of your program: with the same id it is asked once and waited for again. */
  clientMsgId?: string | undefined;
  threadRootId?: number | undefined;
  /** The server's keys that you trust. Default: those that it publishes now. */
  keys?: ReceiptKeysResponse["keys"] | undefined;
  /** Called when the question is in the channel. */
  onAsked?: ((message: ChatMessage) => void) | undefined;
}

/** How a question ended. Act on `decision` only: it is what the server signed. */
export interface AskedAnswer {
  decision: SignedDecision;
  receipt: Receipt;
  interaction: Interaction;
  /** The message as it was asked. */
  message: ChatMessage;
}

interface Asking {
  http: Http;
  place: Pick<AgentSendBody, "channel_slug" | "agent_name">;
  backoff: Backoff;
}

/** Asks people, waits for the end, and verifies the receipt; see `AgentClient.ask`. */
export async function ask({ http, place, backoff }: Asking, question: string, asked: AskOptions): Promise<AskedAnswer> {
  const { signal, maxRetries, timeoutMs, headers } = asked;
  const options: RequestOptions = {
    ...(signal === undefined ? {} : { signal }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(headers === undefined ? {} : { headers }),
  };
  const until = async <T>(call: (each: RequestOptions) => Promise<T>): Promise<T> => {
    const answer = await retryForever(call, options, backoff);
    if (answer === null) throw signal?.reason ?? new Error("The question was abandoned.");
    return answer;
  };
  const body = { ...place, ...bodyOf(question, asked) };
  const interactions = new Interactions(http);
  const { chat_message: message } = await until((each) => new AgentHub(http).send(body, each));
  // The message was deleted since an earlier run asked it: how that ended can still be read.
  const id = message.interaction?.interaction_id ?? message.id;
  asked.onAsked?.(message);
  for (;;) {
    const { interaction, receipt } = await until((each) => interactions.get(id, { wait: WAIT_SECONDS }, each));
    if (interaction.status === "open") continue;
    if (receipt === null) throw new ReceiptError("The server has no receipt any more: an account was erased.");
    const keys = asked.keys ?? (await until((each) => interactions.keys(each))).keys;
    const decision = await verifyReceipt(receipt, keys, message.is_deleted ? undefined : message);
    if (decision.interaction_id !== id) throw new ReceiptError("The receipt is for another question.");
    return { decision, receipt, interaction, message };
  }
}

function bodyOf(question: string, asked: AskOptions): Omit<AgentSendBody, "channel_slug" | "agent_name"> {
  const { who, quorum, expires_in, options, threadRootId } = asked;
  const kind = asked.kind ?? (options === undefined ? "approval" : "choice");
  return {
    message: question,
    client_msg_id: asked.clientMsgId ?? newIdempotencyKey(),
    components: asked.components ?? rowsOf(options ?? APPROVAL),
    interaction: {
      kind,
      who,
      ...(quorum === undefined ? {} : { quorum }),
      ...(expires_in === undefined ? {} : { expires_in }),
    },
    ...(threadRootId === undefined ? {} : { thread_root_id: threadRootId }),
  };
}

const APPROVAL = [
  { action_id: "approve", label: "Approve", style: "primary" as const },
  { action_id: "deny", label: "Deny", style: "danger" as const },
];

/** Puts five buttons into a row. */
function rowsOf(options: NonNullable<AskOptions["options"]>): Components {
  const buttons = options.map((option) => ({ type: "button" as const, ...option }));
  return Array.from({ length: Math.ceil(buttons.length / 5) }, (_, row) => ({
    type: "row" as const,
    elements: buttons.slice(row * 5, row * 5 + 5),
  }));
}

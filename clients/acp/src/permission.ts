import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { type AgentClient, type AskOptions, type ParleyClient, ParleyError, type Who } from "@parley/sdk";
import { inlineCode, oneLine } from "../../shared/src/clean-text.ts";
import { permissionText, sha256 } from "../../shared/src/permission-text.ts";
import type { Receipts } from "../../shared/src/receipts.ts";
import type { StateFolder } from "../../shared/src/state-folder.ts";
import { type Activity, contentOf } from "./activity.ts";
import type { Place } from "./place.ts";
import { type DirectPerson, placeOfCard, ruledQuorum } from "./where-asked.ts";

const LABEL_MAX = 75;
const TITLE_MAX = 200;
/** The buttons of a choice. */
const OPTIONS_MAX = 25;
const ACTION = /^[A-Za-z0-9_.:-]{1,64}$/;

/** A server that is away for longer gets no word of the end of a question. */
const CANCEL_MS = 15_000;

/** The answer to an agent that nobody permits anything. */
export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

/** What decides how permissions are asked for. */
export interface Asking {
  client: AgentClient;
  calls: ParleyClient;
  receipts: Receipts;
  folder: StateFolder;
  who: Who;
  quorum: number;
  expiresIn: number;
  /** Asked in the direct conversation; null: people are asked in the thread. */
  direct: DirectPerson | null;
}

/** A permission within a turn. */
export interface Question {
  request: RequestPermissionRequest;
  activity: Activity;
  place: Place;
  /** The key of the card, another one for each question of each run. */
  clientMsgId: string;
  signal: AbortSignal;
  onAsked(interactionId: number): void;
  /** Tells the place something, once for each `what`. */
  tell(what: "none" | "direct" | "rule", text: string): Promise<void>;
}

/**
 * Asks people for a permission with a card, and returns their answer to the agent after its receipt is stored. Whatever
 * goes wrong, the agent gets no permission.
 */
export async function askPermission(asking: Asking, question: Question): Promise<RequestPermissionResponse> {
  const { request, activity, place, signal, tell } = question;
  const call = activity.update(request.toolCall);
  const rule = await ruledQuorum(asking.calls, place);
  // Without knowing the rule, an approval is right under every rule.
  const buttons = buttonsFor(request.options, Math.max(asking.quorum, rule?.quorum ?? 2), asking.quorum);
  if (buttons === null) {
    await tell("none", "The agent offered no answer that holds for one time only, so nothing was permitted.");
    return CANCELLED;
  }
  const where = await placeOfCard(asking.calls, asking.direct, place, rule);
  if (typeof where === "string") {
    await tell("none", where);
    return CANCELLED;
  }
  const content = contentOf(call);
  const title = call.title ?? call.name ?? "an unnamed tool";
  const { text, hash } = permissionText({
    title,
    namesHash: where.isElsewhere,
    kind: call.kind ?? "other",
    places: (call.locations ?? []).map(({ path, line }) => (line == null ? path : `${path}:${line}`)),
    ...content,
  });
  // The hash in the card is of this file, for whoever wants to read all of it.
  if (hash !== null) asking.folder.write(`asked-${hash}.json`, content.content);
  if (where.isElsewhere) await tell("direct", elsewhereText(asking.direct?.username ?? "", title, hash ?? ""));
  let id: number | null = null;
  const asked: AskOptions = {
    ...buttons.fields,
    who: asking.who,
    expires_in: asking.expiresIn,
    clientMsgId: question.clientMsgId,
    threadRootId: where.threadRootId,
    signal,
    maxRetries: 1_000,
    onAsked: (message) => {
      id = message.interaction?.interaction_id ?? message.id;
      question.onAsked(id);
    },
  };
  try {
    const { decision, receipt } = await asking.client.ask(where.channel, text, asked);
    asking.receipts.keep(decision.interaction_id, receipt);
    const action = decision.status === "decided" ? decision.result?.action_id : undefined;
    const optionId = action === undefined ? undefined : buttons.options.get(action);
    if (where.isElsewhere && (await ruledQuorum(asking.calls, place))?.hasRule !== false) {
      await tell("rule", "Meanwhile this channel got a rule about who permits, so nothing was permitted.");
      return CANCELLED;
    }
    return optionId === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId } };
  } catch (error) {
    if (id !== null) await cancelCard(asking, id);
    if (signal.aborted) return CANCELLED;
    throw error;
  }
}

/** Ends an open question and stores its receipt. */
export async function cancelCard({ calls, receipts }: Pick<Asking, "calls" | "receipts">, id: number): Promise<void> {
  try {
    const options = { maxRetries: 1_000, signal: AbortSignal.timeout(CANCEL_MS) };
    const { receipt } = await calls.interactions.cancel(id, options);
    if (receipt !== null) receipts.keep(id, receipt);
  } catch (error) {
    // It is gone, this key no longer reads it, or the server is away. No agent waits for its answer any more.
    if (!(error instanceof ParleyError) && !isTimeout(error)) throw error;
  }
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === "TimeoutError";

/** What the thread shows of a question that it does not see: enough to find it by, and nothing of its content. */
const elsewhereText = (username: string, title: string, hash: string): string =>
  `I asked ${username} in our direct conversation: ${inlineCode(title, TITLE_MAX)}\nSHA-256 of the request: \`${hash}\``;

/** Returns whether people chose an option that allows something. */
export const isAllowed = ({ outcome }: RequestPermissionResponse, { options }: RequestPermissionRequest): boolean =>
  outcome.outcome === "selected" &&
  options.some(({ optionId, kind }) => optionId === outcome.optionId && kind === "allow_once");

interface Buttons {
  fields: Pick<AskOptions, "kind" | "options" | "quorum">;
  /** The agent's options by the actions of the card. */
  options: ReadonlyMap<string, string>;
}

/**
 * Chooses the buttons. Lasting answers (`allow_always`) are left out: nobody in a chat gives a machine away for good.
 * Returns null if nothing can be allowed. `needed` is how many people decide in the place, `quorum` how many the owner wants.
 */
function buttonsFor(options: readonly PermissionOption[], needed: number, quorum: number): Buttons | null {
  const once = options.filter(({ kind }) => kind === "allow_once" || kind === "reject_once").slice(0, OPTIONS_MAX);
  const [allows, rejects] = [ofKind(once, "allow_once"), ofKind(once, "reject_once")];
  const [allow, reject] = [allows[0], rejects[0]];
  if (allow === undefined) return null;
  const isPlain = allows.length === 1 && rejects.length <= 1;
  // Several people can only agree to one thing.
  if (isPlain || needed > 1) {
    const fields = {
      kind: "approval" as const,
      options: [
        { action_id: "approve", label: labelOf(allow, "Approve"), style: "primary" as const },
        { action_id: "deny", label: reject === undefined ? "Deny" : labelOf(reject, "Deny"), style: "danger" as const },
      ],
      ...(quorum > 1 ? { quorum } : {}),
    };
    const deny: [string, string][] = reject === undefined ? [] : [["deny", reject.optionId]];
    return { fields, options: new Map([["approve", allow.optionId], ...deny]) };
  }
  const named = once.map((option, at) => ({ option, action_id: actionOf(option, at, once) }));
  return {
    fields: {
      kind: "choice",
      options: named.map(({ option, action_id }) => ({
        action_id,
        label: labelOf(option, `Option ${action_id}`),
        style: option.kind === "allow_once" ? ("primary" as const) : ("danger" as const),
      })),
    },
    options: new Map(named.map(({ option, action_id }) => [action_id, option.optionId])),
  };
}

const ofKind = (options: readonly PermissionOption[], kind: PermissionOption["kind"]) =>
  options.filter((option) => option.kind === kind);

const labelOf = ({ name }: PermissionOption, otherwise: string): string => oneLine(name, LABEL_MAX) || otherwise;

/** The receipt names the action, so it is the agent's own word for the option where that is possible. */
function actionOf({ optionId }: PermissionOption, at: number, all: readonly PermissionOption[]): string {
  const isUnique = all.filter((other) => other.optionId === optionId).length === 1;
  return ACTION.test(optionId) && isUnique ? optionId : `option-${at + 1}-${sha256(optionId).slice(0, 8)}`;
}

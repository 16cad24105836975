import type { PressBody } from "@parley/protocol/card-calls";
import type { ApprovalRule, CardElement, Interaction } from "@parley/protocol/cards";
import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useId, useState } from "react";
import { momentOf } from "../../i18n/date-format.ts";
import { useCardTexts } from "../../i18n/hooks/use-card-texts.ts";
import { quorumOf, refusalOf } from "../../model/cards/card-rights.ts";
import { useLevel, useParley, useSelf } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { useAction } from "../../ui/use-action.ts";
import { answerOf, labelOf, talliesOf } from "./labels.ts";
import { MenuButtons } from "./menu-buttons.tsx";
import { ReceiptView } from "./receipt-view.tsx";

/** The reader's way to answer a card. */
interface Press {
  /** True while nobody can press, and why for `aria-describedby`. */
  isOff: boolean;
  reasonId: string | undefined;
  /** The action that was pressed and is being sent. */
  pending: string | null;
  press(body: PressBody, confirm?: string): void;
}

/** The card of an agent below its message, or the menu of a bot. */
export function InteractiveCard({ message }: { message: ChatMessage }) {
  return message.interaction?.kind === "menu" ? <MenuButtons message={message} /> : <Card message={message} />;
}

/** The rows of a message's card, and how its question stands. */
function Card({ message }: { message: ChatMessage }) {
  const { components = [], interaction } = message;
  const press = usePress(message);
  const self = useSelf();
  const shown = press.shown ?? interaction;
  // In an open card, and in its events, the result is only the press that came last.
  const decided = shown?.status === "decided" ? shown.result : null;
  const chosen = decided ?? shown?.votes.findLast(({ username }) => username === self);
  return (
    <div className="card">
      {components.map(({ elements }, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The rows of a card never change.
        <div key={row} className="card-row">
          {elements.map((element) => (
            <Element
              key={element.type === "link" ? `link ${element.url} ${element.label}` : element.action_id}
              element={element}
              press={press}
              isApproval={interaction?.kind === "approval"}
              chosen={chosen?.action_id ?? null}
            />
          ))}
        </div>
      ))}
      {shown !== undefined && (
        <State
          interaction={shown}
          components={components}
          mine={answerOf(shown, components, self)}
          rule={press.rule}
          reasonId={press.reasonId}
          reason={press.reason}
        />
      )}
      {press.error !== null && (
        <p className="error" role="alert">
          {press.error}
        </p>
      )}
    </div>
  );
}

/** Sends the reader's press. Its answer is shown at once; the channel's event brings the same. */
function usePress({ channel_id: channelId, interaction }: ChatMessage) {
  const parley = useParley();
  const self = useSelf();
  const level = useLevel();
  const texts = useCardTexts();
  const action = useAction();
  const reasonId = useId();
  const [pending, setPending] = useState<string | null>(null);
  const [answered, setAnswered] = useState<Interaction | null>(null);
  const channel: Channel | undefined = useStore(parley.channels.view).channels.find(({ id }) => id === channelId);
  const isNewer = answered !== null && interaction !== undefined && isLater(answered, interaction);
  const current = isNewer ? answered : interaction;
  const rule = channel?.approval_rule ?? null;
  const refusal =
    current === undefined ? null : refusalOf(current, { self, level, role: channel?.my_role ?? null, rule });
  const send = async (body: PressBody, confirm?: string) => {
    if (current === undefined) return;
    const question = { title: texts.confirmTitle, text: confirm ?? "", action: texts.confirm };
    if (confirm !== undefined && !(await parley.confirm.ask(question))) return;
    setPending(body.action_id);
    await action.run(async () => {
      const { interaction: after } = await parley.client.interactions.press(current.interaction_id, body);
      setAnswered(after);
    });
    setPending(null);
  };
  const reason = refusal === null ? null : texts.refusals[refusal];
  return {
    isOff: refusal !== null || action.isBusy,
    reason,
    reasonId: reason === null ? undefined : reasonId,
    pending,
    error: texts.errors[action.code ?? ""] ?? action.error,
    shown: current,
    rule,
    press: (body: PressBody, confirm?: string) => void send(body, confirm),
  };
}

/** True if one state of an interaction follows the other. */
const isLater = (one: Interaction, other: Interaction): boolean =>
  one.vote_count > other.vote_count || (one.status !== "open" && other.status === "open");

interface ElementProps {
  element: CardElement;
  press: Press;
  isApproval: boolean;
  /** The action that was chosen, or that the reader pressed. */
  chosen: string | null;
}

function Element({ element, press, isApproval, chosen }: ElementProps) {
  if (element.type === "link")
    return (
      <a className="button" href={element.url} target="_blank" rel="noopener noreferrer nofollow" title={element.url}>
        <bdi>{element.label}</bdi>
      </a>
    );
  const { action_id } = element;
  const shared = {
    disabled: press.isOff,
    "aria-describedby": press.reasonId,
    "aria-busy": press.pending === action_id,
    "data-chosen": chosen === action_id ? "" : undefined,
  };
  if (element.type === "button") {
    const { label, confirm } = element;
    const style = styleOf(element, isApproval);
    return (
      <button
        type="button"
        className={style === "default" ? "secondary" : style}
        onClick={() => press.press({ action_id }, confirm)}
        {...shared}
      >
        <bdi>{label}</bdi>
      </button>
    );
  }
  return <Choice element={element} shared={shared} press={press} />;
}

/** Red warns of what ends something; to approve is never that, whatever the agent sent. */
function styleOf({ action_id, style = "default" }: { action_id: string; style?: string }, isApproval: boolean): string {
  return isApproval && action_id === "approve" && style === "danger" ? "primary" : style;
}

/** A select with a button: moving through the options with the keyboard must not answer. */
function Choice({
  element: { action_id, placeholder, options },
  shared,
  press,
}: {
  element: Extract<CardElement, { type: "select" }>;
  shared: object;
  press: Press;
}) {
  const texts = useCardTexts();
  const [value, setValue] = useState("");
  return (
    <span className="card-select">
      <select
        aria-label={placeholder ?? texts.choose}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        {...shared}
      >
        <option value="">{placeholder ?? texts.choose}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <button type="button" disabled={press.isOff || value === ""} onClick={() => press.press({ action_id, value })}>
        {texts.send}
      </button>
    </span>
  );
}

interface StateProps {
  interaction: Interaction;
  components: NonNullable<ChatMessage["components"]>;
  /** The label of the reader's own answer; null: none. */
  mine: string | null;
  /** Of the channel. */
  rule: ApprovalRule | null;
  reason: string | null;
  reasonId: string | undefined;
}

/** Says who may answer and until when, the votes, and the result. */
function State({ interaction, components, mine, rule, reason, reasonId }: StateProps) {
  const texts = useCardTexts();
  const { kind, status, who, votes, vote_count, result, expires_at, decided_at, interaction_id } = interaction;
  const quorum = quorumOf(interaction, rule);
  const isOpen = status === "open";
  const approvals = votes.filter(({ action_id }) => action_id === "approve").map(({ username }) => username);
  const tallies = kind === "open" ? talliesOf(interaction, components) : [];
  return (
    <div className="card-state muted" aria-live="polite">
      {isOpen && expires_at !== null && <p>{texts.asks(texts.people(who), momentOf(expires_at))}</p>}
      {isOpen && kind !== "open" && rule !== null && <p>{texts.rule[rule.role]}</p>}
      {isOpen && kind === "approval" && quorum > 1 && <p>{texts.approvals(approvals.length, quorum, approvals)}</p>}
      {kind === "open" && vote_count > 0 && (
        <p>{[texts.answers(vote_count), ...tallies.map(([label, count]) => texts.tally(label, count))].join(" · ")}</p>
      )}
      {mine !== null && kind !== "choice" && <p>{texts.mine(mine)}</p>}
      {isOpen && reason !== null && <p id={reasonId}>{reason}</p>}
      {!isOpen && (
        <p className="card-result" data-status={status}>
          {result === null
            ? texts.ended(status, momentOf(decided_at ?? expires_at ?? ""))
            : texts.result(kind, result, labelOf(components, result.action_id, result.value), momentOf(result.at))}
        </p>
      )}
      {!isOpen && <ReceiptView interactionId={interaction_id} />}
    </div>
  );
}

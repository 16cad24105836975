import type { ChatMessage } from "@parley/protocol/models";
import type { Poll } from "@parley/protocol/polls";
import { Polls } from "@parley/sdk/groups";
import { type FormEvent, useId, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { usePollTexts } from "../i18n/hooks/use-poll-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useModerates } from "../session/use-moderates.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { ownVotes, shareOf, useOwnVotes } from "./own-votes.ts";

/** A poll in its message: the options with their sums, the reader's choice, and how it stands. */
export function PollCard({ message, poll }: { message: ChatMessage; poll: Poll }) {
  const parley = useParley();
  const self = useSelf();
  const texts = usePollTexts();
  const action = useAction();
  const name = useId();
  const mine = useOwnVotes(message, poll);
  // null: the choice is the vote.
  const [draft, setDraft] = useState<readonly number[] | null>(null);
  const isOpen = poll.status === "open";
  const canVote = isOpen && self !== null;
  const chosen = canVote ? (draft ?? mine) : mine;
  const isChanged = chosen.toSorted().join() !== mine.toSorted().join();
  const send = (optionIds: readonly number[]) =>
    action.run(async () => {
      const after = (await parley.client.group(Polls).vote(poll.poll_id, optionIds)).poll;
      ownVotes(parley).put(message, after.my_votes ?? []);
      setDraft(null);
    });
  const choose = (id: number, isOn: boolean) => {
    if (!poll.multiple) setDraft([id]);
    else setDraft(isOn ? [...chosen, id] : chosen.filter((each) => each !== id));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(chosen);
  };
  return (
    <form className="card poll" onSubmit={submit}>
      <fieldset disabled={!canVote || action.isBusy}>
        <legend dir="auto">
          <span className="visually-hidden">{texts.poll}: </span>
          {poll.question}
        </legend>
        {poll.options.map((option) => (
          <Option
            key={option.option_id}
            {...{ poll, option, name }}
            isChosen={chosen.includes(option.option_id)}
            isMine={mine.includes(option.option_id)}
            onChoose={(isOn) => choose(option.option_id, isOn)}
          />
        ))}
      </fieldset>
      <div className="poll-acts">
        {canVote && (
          <button type="submit" disabled={!isChanged || chosen.length === 0 || action.isBusy}>
            {mine.length === 0 ? texts.vote : texts.changeVote}
          </button>
        )}
        {canVote && mine.length > 0 && (
          <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void send([])}>
            {texts.withdraw}
          </button>
        )}
        {isOpen && <CloseButton message={message} poll={poll} />}
      </div>
      <p className="muted">{[texts.voters(poll.total_voters), ...stateOf(poll, texts)].join(" · ")}</p>
      <p className="visually-hidden" role="status">
        {mine.length === 0 ? "" : texts.mine(poll.options.filter((each) => mine.includes(each.option_id)).map(textOf))}
      </p>
      <ErrorLine text={action.error} />
    </form>
  );
}

const textOf = ({ text }: { text: string }): string => text;

/** Returns what is special about a poll, in words. */
function stateOf(poll: Poll, texts: ReturnType<typeof usePollTexts>): string[] {
  return [
    ...(poll.multiple ? [texts.isMultiple] : []),
    ...(poll.anonymous ? [texts.isAnonymous] : []),
    ...(poll.status === "closed" ? [texts.isClosed] : []),
    ...(poll.status === "open" && poll.closes_at !== null ? [texts.closesAt(momentOf(poll.closes_at))] : []),
  ];
}

interface OptionProps {
  poll: Poll;
  option: Poll["options"][number];
  name: string;
  isChosen: boolean;
  isMine: boolean;
  onChoose(isOn: boolean): void;
}

function Option({ poll, option, name, isChosen, isMine, onChoose }: OptionProps) {
  const texts = usePollTexts();
  const { text, count, voters } = option;
  const share = shareOf(count, poll);
  return (
    <div className="poll-option" data-mine={isMine ? "" : undefined}>
      <label>
        <input
          type={poll.multiple ? "checkbox" : "radio"}
          name={name}
          checked={isChosen}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <span className="poll-text" dir="auto">
          {text}
        </span>
        <span className="poll-count">{texts.count(count, share)}</span>
      </label>
      <svg className="poll-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={share} height="1" />
      </svg>
      {voters !== null && voters.length > 0 && (
        <p className="poll-voters muted">
          <bdi>{voters.map(({ username }) => username).join(", ")}</bdi>
          {count > voters.length && ` ${texts.others(count - voters.length)}`}
        </p>
      )}
    </div>
  );
}

/** For the poll's maker, and for those who moderate the channel. */
function CloseButton({ message, poll }: { message: ChatMessage; poll: Poll }) {
  const parley = useParley();
  const self = useSelf();
  const moderates = useModerates(message.channel_id);
  const texts = usePollTexts();
  const action = useAction();
  const isOwn = message.sender_type === "user" && message.username === self;
  if (self === null || !(isOwn || moderates)) return null;
  const close = async () => {
    const question = { title: texts.close, text: texts.closeQuestion, action: texts.close };
    if (await parley.confirm.ask(question)) await action.run(() => parley.client.group(Polls).close(poll.poll_id));
  };
  return (
    <>
      <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void close()}>
        {texts.close}
      </button>
      <ErrorLine text={action.error} />
    </>
  );
}

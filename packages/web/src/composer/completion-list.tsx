import { EmojiPicture } from "../emoji/server-picture.tsx";
import { useWritingTexts } from "../i18n/hooks/use-writing-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import type { Suggestion } from "./completion.ts";

interface Props {
  id: string;
  choices: readonly Suggestion[];
  at: number;
  onTake(choice: Suggestion): void;
}

/** Suggestions of names, emoji, channels or commands; the text field keeps the focus. */
export function CompletionList({ id, choices, at, onTake }: Props) {
  const { composer: texts } = useTexts();
  return (
    <div
      className="completions"
      id={id}
      role="listbox"
      aria-label={texts.suggestions}
      // Keep the focus in the field until the click, and while the list is scrolled.
      onPointerDown={(event) => event.preventDefault()}
    >
      {choices.map((choice, n) => (
        // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field points here
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
        <div
          key={choice.kind === "command" ? `${choice.name}@${choice.agent}` : `${choice.kind} ${choice.name}`}
          ref={n === at ? intoView : undefined}
          id={`${id}-${n}`}
          role="option"
          aria-selected={n === at}
          onClick={() => onTake(choice)}
        >
          <Shown choice={choice} />
        </div>
      ))}
    </div>
  );
}

/** Scrolls a longer list to the option that the keys have chosen. */
const intoView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: "nearest" });

function Shown({ choice }: { choice: Suggestion }) {
  const writing = useWritingTexts();
  if (choice.kind === "here")
    return (
      <>
        <b>@{choice.name}</b> <span className="muted">{writing.here(choice.count)}</span>
      </>
    );
  if (choice.kind === "emoji")
    return (
      <>
        <span className="emoji" aria-hidden="true">
          {choice.own === undefined ? choice.text : <EmojiPicture emoji={choice.own} />}
        </span>{" "}
        {choice.name}
      </>
    );
  if (choice.kind === "channel")
    return (
      <>
        <b>#{choice.name}</b>{" "}
        {choice.title.toLowerCase() !== choice.name && <bdi className="muted">{choice.title}</bdi>}
      </>
    );
  if (choice.kind === "command")
    return (
      <>
        <Avatar name={choice.agent} isAgent isSmall />
        <span className="command">
          <b>{choice.name}</b> <bdi className="muted">{choice.agent}</bdi>
          <span className="muted">{choice.description}</span>
        </span>
      </>
    );
  return (
    <>
      <Avatar name={choice.name} isAgent={choice.kind === "agent"} isSmall />
      <Name name={choice.name} isAgent={choice.kind === "agent"} />
    </>
  );
}

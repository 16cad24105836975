import { useTexts } from "../i18n/use-texts.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import type { Suggestion } from "./completion.ts";

interface Props {
  id: string;
  choices: readonly Suggestion[];
  at: number;
  onTake(choice: Suggestion): void;
}

/** Suggestions of names or emoji; the text field keeps the focus. */
export function CompletionList({ id, choices, at, onTake }: Props) {
  const { composer: texts } = useTexts();
  return (
    <div className="completions" id={id} role="listbox" aria-label={texts.suggestions}>
      {choices.map((choice, n) => (
        // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field points here
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
        <div
          key={`${choice.kind} ${choice.name}`}
          id={`${id}-${n}`}
          role="option"
          aria-selected={n === at}
          // Keep the focus in the field until the click.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(choice)}
        >
          {choice.kind === "emoji" ? (
            <>
              <span className="emoji">{choice.text}</span> {choice.name}
            </>
          ) : (
            <>
              <Avatar name={choice.name} isAgent={choice.kind === "agent"} isSmall />
              <Name name={choice.name} isAgent={choice.kind === "agent"} />
            </>
          )}
        </div>
      ))}
    </div>
  );
}

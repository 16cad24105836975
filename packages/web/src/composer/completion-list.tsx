import { useTexts } from "../i18n/use-texts.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import type { Candidate } from "./completion.ts";

interface Props {
  id: string;
  choices: readonly Candidate[];
  at: number;
  onTake(name: string): void;
}

/** Name suggestions; the text field keeps the focus. */
export function CompletionList({ id, choices, at, onTake }: Props) {
  const { composer: texts } = useTexts();
  return (
    <div className="completions" id={id} role="listbox" aria-label={texts.suggestions}>
      {choices.map(({ kind, name }, n) => (
        // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field points here
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
        <div
          key={`${kind} ${name}`}
          id={`${id}-${n}`}
          role="option"
          aria-selected={n === at}
          // Keep the focus in the field until the click.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(name)}
        >
          <Avatar name={name} isAgent={kind === "agent"} isSmall />
          <Name name={name} isAgent={kind === "agent"} />
        </div>
      ))}
    </div>
  );
}

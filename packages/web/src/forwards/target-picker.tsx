import { type KeyboardEvent, useId, useState } from "react";
import { useForwardsTexts } from "../i18n/hooks/use-forwards-texts.ts";
import type { SwitchEntry } from "../navigation/switch-entries.ts";
import { SwitchOption } from "../navigation/switch-option.tsx";
import { useEntries } from "../navigation/use-entries.ts";
import { isComposing } from "../ui/ime.ts";

/** True where a message may be sent without a password, a payment, or a window of an agent. */
const isTarget = ({ kind, channel }: SwitchEntry): boolean =>
  channel === null
    ? kind === "user"
    : channel.my_role !== null || (!channel.is_private && channel.price === null && !channel.is_direct);

interface Props {
  target: SwitchEntry | null;
  onPick(target: SwitchEntry | null): void;
}

/** A field that finds channels and people, and keeps the chosen one. */
export function TargetPicker({ target, onPick }: Props) {
  const texts = useForwardsTexts();
  if (target === null) return <TargetField onPick={onPick} />;
  return (
    <p className="forward-target">
      <bdi>{texts.to(target.name)}</bdi>
      <button type="button" className="secondary" onClick={() => onPick(null)}>
        {texts.change}
      </button>
    </p>
  );
}

function TargetField({ onPick }: Pick<Props, "onPick">) {
  const texts = useForwardsTexts();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const shown = useEntries(typed, false).filter(isTarget);
  // The list may have become shorter since.
  const at = Math.min(chosen, shown.length - 1);
  const keyed = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    const entry = shown[at];
    if (step === undefined) return entry === undefined ? undefined : onPick(entry);
    if (shown.length > 0) setChosen((at + step + shown.length) % shown.length);
  };
  return (
    <div className="switcher">
      <input
        role="combobox"
        aria-label={texts.target}
        placeholder={texts.target}
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={keyed}
      />
      <div id={id} role="listbox" aria-label={texts.targets} className="options">
        {shown.map((entry, n) => (
          <SwitchOption key={entry.key} id={`${id}-${n}`} entry={entry} isChosen={n === at} onTake={onPick} />
        ))}
      </div>
      <p role="status" className={shown.length > 0 ? "visually-hidden" : "hint"}>
        {shown.length > 0 ? texts.results(shown.length) : texts.nothing}
      </p>
    </div>
  );
}

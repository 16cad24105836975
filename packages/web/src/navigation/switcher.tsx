import { type KeyboardEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { useNavigationTexts } from "../i18n/hooks/use-navigation-texts.ts";
import type { Parley } from "../session/parley.ts";
import { useParley } from "../session/parley-context.ts";
import { channelHref } from "../state/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { isComposing } from "../ui/ime.ts";
import type { SwitchEntry } from "./switch-entries.ts";
import { SwitchOption } from "./switch-option.tsx";
import { useEntries } from "./use-entries.ts";

interface Props {
  /** Offers only people and agents to write to. */
  isDirect?: boolean;
  onClose(): void;
}

/** A field that finds channels, people and agents, and goes to the chosen one. */
export function Switcher({ isDirect = false, onClose }: Props) {
  const parley = useParley();
  const { switcher: texts } = useNavigationTexts();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const shown = useEntries(typed, isDirect);
  // The list may have become shorter since.
  const at = Math.min(chosen, shown.length - 1);
  const take = (entry: SwitchEntry | undefined) => {
    if (entry === undefined) return;
    // At once, because a dialog that closes gives the focus back to where it was.
    flushSync(onClose);
    void goTo(parley, entry, isDirect);
  };
  const keyed = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) take(shown[at]);
    else if (shown.length > 0) setChosen((at + step + shown.length) % shown.length);
  };
  const type = (text: string) => {
    setTyped(text);
    setChosen(0);
  };
  return (
    <Dialog title={isDirect ? texts.newDirect : texts.title} onClose={onClose}>
      <form className="switcher" onSubmit={(event) => event.preventDefault()}>
        <input
          role="combobox"
          aria-label={isDirect ? texts.personField : texts.field}
          placeholder={isDirect ? texts.personField : texts.field}
          aria-expanded={shown.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onKeyDown={keyed}
        />
        <div id={id} role="listbox" aria-label={isDirect ? texts.newDirect : texts.title} className="options">
          {shown.map((entry, n) => (
            <SwitchOption key={entry.key} id={`${id}-${n}`} entry={entry} isChosen={n === at} onTake={take} />
          ))}
        </div>
        <p role="status" className={shown.length > 0 ? "visually-hidden" : "hint"}>
          {shown.length > 0 ? texts.results(shown.length) : isDirect ? texts.noPeople : texts.none}
        </p>
      </form>
    </Dialog>
  );
}

async function goTo(parley: Parley, { kind, name, channel }: SwitchEntry, isDirect: boolean): Promise<void> {
  if (channel !== null && channel.id === parley.channelAt(parley.route.get())?.id) focusComposer();
  else if (channel !== null) location.hash = channelHref(channel.channel_slug);
  else if (kind === "user") await parley.openDirect(kind, name);
  else if (kind === "agent" && isDirect) await parley.openDirect(kind, name);
  else if (kind === "agent") {
    const channelId = parley.channelAt(parley.route.get())?.id ?? null;
    parley.openCard.set({ kind, name, channelId, anchor: null });
  }
}

/** Continues in the channel that is open already. Not on touch devices, whose keyboard would cover the messages. */
function focusComposer(): void {
  if (matchMedia("(pointer: fine)").matches) document.querySelector<HTMLElement>("#text")?.focus();
}

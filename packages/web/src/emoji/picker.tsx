import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { useEmojiTexts } from "../i18n/hooks/use-emoji-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { type Emoji, findEmoji, GROUPS, type Group } from "./catalogue.ts";
import { EmojiGrid, type Picking, type Shown } from "./emoji-grid.tsx";
import { useEmoji } from "./load-catalogue.ts";
import { ownEmoji, ownTone, rememberEmoji, rememberTone } from "./own-emoji.ts";
import { inTone, TONES, type Tone } from "./tones.ts";

const FOUND = 120;
/** Shows the tones in the list of tones. */
const HAND = "✋";

/** A search, the groups, and the emoji of one of them. */
export function Picker({ label, onPick }: Picking) {
  const { app } = useTexts();
  const texts = useEmojiTexts();
  const all = useEmoji();
  const [query, setQuery] = useState("");
  const [group, setGroup] = useState<Group | "own">("own");
  const [tone, setTone] = useState(ownTone);
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // On a touch screen the keyboard would cover the emoji.
  useLayoutEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  const pick = (text: string) => {
    rememberEmoji(text);
    onPick(text);
  };
  const shown = all === null ? [] : shownOf(all, query, group, tone);
  const keyed = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      const [first] = shown;
      if (query !== "" && first !== undefined) pick(first.text);
    }
    if (event.key === "ArrowDown") {
      event.preventDefault();
      root.current?.querySelector<HTMLElement>(".emoji-grid button")?.focus();
    }
  };
  const show = (next: Group | "own") => {
    setGroup(next);
    setQuery("");
  };
  const choose = (next: Tone) => {
    rememberTone(next);
    setTone(next);
  };
  return (
    <div className="emoji-picker" ref={root}>
      <div className="emoji-search">
        <input
          type="search"
          ref={field}
          value={query}
          placeholder={texts.search}
          aria-label={texts.search}
          autoComplete="off"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={keyed}
        />
        <select
          aria-label={texts.tone}
          value={tone}
          onChange={(event) => choose(TONES.find((each) => each === event.target.value) ?? "")}
        >
          {TONES.map((each, at) => (
            <option key={each} value={each} aria-label={texts.tones[at]}>
              {HAND}
              {each}
            </option>
          ))}
        </select>
      </div>
      <Groups chosen={query === "" ? group : null} onChoose={show} />
      {all === null && <p className="hint">{app.loading}</p>}
      {all !== null && shown.length === 0 && <p className="hint">{texts.none}</p>}
      <EmojiGrid key={`${group} ${query}`} shown={shown} label={label} onPick={pick} />
    </div>
  );
}

function shownOf(all: readonly Emoji[], query: string, group: Group | "own", tone: Tone): Shown[] {
  const toned = (emoji: Emoji): Shown => {
    const [code = ""] = emoji.codes;
    return { text: inTone(emoji, tone), name: `${emoji.name} :${code}:` };
  };
  if (query !== "") return findEmoji(all, query, FOUND).map(toned);
  if (group !== "own") return all.filter((emoji) => emoji.group === group).map(toned);
  const known = new Map(all.map((emoji) => [emoji.text, toned(emoji).name]));
  return ownEmoji().map((text) => ({ text, name: known.get(text) ?? text }));
}

function Groups({ chosen, onChoose }: { chosen: Group | "own" | null; onChoose(group: Group | "own"): void }) {
  const texts = useEmojiTexts();
  const groups = [["own", "🕘"] as const, ...GROUPS];
  return (
    <div className="emoji-groups" role="toolbar" aria-label={texts.groups}>
      {groups.map(([group, picture]) => (
        <button
          key={group}
          type="button"
          aria-label={texts.group[group]}
          title={texts.group[group]}
          aria-pressed={group === chosen}
          onClick={() => onChoose(group)}
        >
          {picture}
        </button>
      ))}
    </div>
  );
}

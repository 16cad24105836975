import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { useEmojiTexts } from "../i18n/hooks/use-emoji-texts.ts";
import { useServerEmojiTexts } from "../i18n/hooks/use-server-emoji-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { type Emoji, findEmoji, GROUPS, type Group } from "./catalogue.ts";
import { EmojiGrid, type Picking, type Shown } from "./emoji-grid.tsx";
import { useEmoji } from "./load-catalogue.ts";
import { ownEmoji, ownTone, rememberEmoji, rememberTone } from "./own-emoji.ts";
import { namedLike, useServerEmoji, written } from "./server-emoji.ts";
import { inTone, TONES, type Tone } from "./tones.ts";

const FOUND = 120;
/** Shows the tones in the list of tones. */
const HAND = "✋";

/** A group: what the user picked last, the emoji of the server, or one of Unicode's. */
type Tab = Group | "own" | "server";

/** A search, the groups, and the emoji of one of them. */
export function Picker({ label, onPick, isUnicodeOnly = false }: Picking) {
  const { app } = useTexts();
  const texts = useEmojiTexts();
  const all = useEmoji();
  const own = useShownOfServer(isUnicodeOnly);
  const [query, setQuery] = useState("");
  const [group, setGroup] = useState<Tab>("own");
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
  const shown = all === null ? [] : shownOf({ all, own: own ?? [] }, { query, group, tone });
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
  const show = (next: Tab) => {
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
      <Groups chosen={query === "" ? group : null} hasServer={own !== null} onChoose={show} />
      {all === null && <p className="hint">{app.loading}</p>}
      {all !== null && shown.length === 0 && <p className="hint">{texts.none}</p>}
      <EmojiGrid key={`${group} ${query}`} shown={shown} label={label} onPick={pick} />
      {group === "server" && query === "" && <ManageButton />}
    </div>
  );
}

interface Choice {
  query: string;
  group: Tab;
  tone: Tone;
}

function shownOf(
  { all, own }: { all: readonly Emoji[]; own: readonly Shown[] },
  { query, group, tone }: Choice,
): readonly Shown[] {
  const toned = (emoji: Emoji): Shown => {
    const [code = ""] = emoji.codes;
    return { text: inTone(emoji, tone), name: `${emoji.name} :${code}:` };
  };
  if (query !== "") {
    const [begun, others] = namedLike(own, query);
    return [...begun, ...findEmoji(all, query, FOUND).map(toned), ...others];
  }
  if (group === "server") return own;
  if (group !== "own") return all.filter((emoji) => emoji.group === group).map(toned);
  const known = new Map([
    ...all.map((emoji) => [emoji.text, toned(emoji)] as const),
    ...own.map((each) => [each.text, each] as const),
  ]);
  // An emoji of the server may have been deleted since.
  return ownEmoji().flatMap((text) => known.get(text) ?? (text.startsWith(":") ? [] : { text, name: text }));
}

/** Returns the emoji of the server as they are picked; null: they cannot be picked here. */
function useShownOfServer(isUnicodeOnly: boolean): readonly Shown[] | null {
  const hasOwn = useSite()?.custom_emoji !== "off";
  const all = useServerEmoji();
  if (isUnicodeOnly || !hasOwn) return null;
  return [...all.values()].map((own) => ({ text: written(own.name), name: written(own.name), own }));
}

/** Opens the window in which emoji are added. */
function ManageButton() {
  const parley = useParley();
  const self = useSelf();
  const { manage } = useServerEmojiTexts();
  if (self === null) return null;
  return (
    <button type="button" className="link" onClick={() => parley.openDialog.set({ window: "emoji" })}>
      {manage}
    </button>
  );
}

interface GroupsProps {
  chosen: Tab | null;
  hasServer: boolean;
  onChoose(group: Tab): void;
}

function Groups({ chosen, hasServer, onChoose }: GroupsProps) {
  const texts = useEmojiTexts();
  const { title } = useServerEmojiTexts();
  const nameOf = (group: Tab) => (group === "server" ? title : texts.group[group]);
  const groups = [["own", "🕘"] as const, ...(hasServer ? [["server", "🏠"] as const] : []), ...GROUPS];
  return (
    <div className="emoji-groups" role="toolbar" aria-label={texts.groups}>
      {groups.map(([group, picture]) => (
        <button
          key={group}
          type="button"
          aria-label={nameOf(group)}
          title={nameOf(group)}
          aria-pressed={group === chosen}
          onClick={() => onChoose(group)}
        >
          {picture}
        </button>
      ))}
    </div>
  );
}

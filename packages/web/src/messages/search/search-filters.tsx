import { useSearchTexts } from "../../i18n/hooks/use-search-texts.ts";
import { labelOf } from "../../model/channel-groups.ts";
import type { ChannelSession } from "../../model/channel-session.ts";
import { FILTERS, type Filter, parseSearch, withFilter } from "../../model/search-query.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { Field } from "../../ui/field.tsx";
import { CloseIcon } from "../../ui/icons.tsx";
import { Select } from "../../ui/select.tsx";

interface Props {
  channelSession: ChannelSession;
}

/** Fields that write the operators of the typed search, which is where their values are kept. */
export function SearchFilters({ channelSession }: Props) {
  const parley = useParley();
  const texts = useSearchTexts();
  const { text } = useStore(parley.search.view);
  const { channels } = useStore(parley.channels.view);
  const members = useStore(channelSession.suggested.members.all);
  const { filters } = parseSearch(text);
  const set = (name: Filter) => (event: { currentTarget: { value: string } }) =>
    parley.search.edit({ text: withFilter(text, name, event.currentTarget.value) });
  const places = channels.map((channel) =>
    channel.is_direct ? [labelOf(channel), `@${labelOf(channel)}`] : [channel.channel_slug, `#${channel.name}`],
  );
  return (
    <details className="filters" onToggle={() => void channelSession.suggested.members.load()}>
      <summary>{texts.filters}</summary>
      <div className="filter-fields">
        <Field
          label={texts.from}
          list="search-names"
          maxLength={32}
          autoComplete="off"
          value={filters.from ?? ""}
          onChange={set("from")}
        />
        <datalist id="search-names">
          {members.map(({ name, shown }) => (
            <option key={name} value={name} label={shown ?? undefined} />
          ))}
        </datalist>
        <Select
          label={texts.in}
          value={filters.in ?? ""}
          choices={{ "": texts.anywhere, ...Object.fromEntries(places) }}
          onChange={set("in")}
        />
        {(["has", "is"] as const).map((name) => (
          <Select
            key={name}
            label={texts[name]}
            value={filters[name] ?? ""}
            choices={{ "": texts.any, ...chosen(texts.facts, name, filters[name]) }}
            onChange={set(name)}
          />
        ))}
        <Field label={texts.after} type="date" value={filters.after ?? ""} onChange={set("after")} />
        <Field label={texts.before} type="date" value={filters.before ?? ""} onChange={set("before")} />
      </div>
      <p className="hint">{texts.filterHint}</p>
    </details>
  );
}

/** Returns the choices of a field, with what is typed if that is none of them, as two of them are. */
const chosen = (
  { has, is }: Record<"has" | "is", Record<string, string>>,
  name: "has" | "is",
  typed: string | undefined,
): Record<string, string> => {
  const choices = { has, is }[name];
  return typed === undefined || typed in choices ? choices : { ...choices, [typed]: typed };
};

/** The operators of the typed search; a press removes one. */
export function FilterChips() {
  const parley = useParley();
  const texts = useSearchTexts();
  const { text } = useStore(parley.search.view);
  const { filters } = parseSearch(text);
  const given = FILTERS.filter((name) => filters[name] !== undefined);
  if (given.length === 0) return null;
  return (
    <ul className="chips">
      {given.map((name) => (
        <li key={name}>
          <button
            type="button"
            className="chip"
            aria-label={texts.removeFilter(`${name}:${filters[name]}`)}
            onClick={() => parley.search.edit({ text: withFilter(text, name, null) })}
          >
            <bdi>
              {name}: {filters[name]}
            </bdi>
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}

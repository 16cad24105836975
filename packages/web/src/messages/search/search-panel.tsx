import type { Channel } from "@parley/protocol/models";
import type { FoundMessage } from "@parley/protocol/search";
import { type FormEvent, useLayoutEffect, useRef } from "react";
import { useSearchTexts } from "../../i18n/hooks/use-search-texts.ts";
import { useTexts } from "../../i18n/use-texts.ts";
import { labelOf } from "../../model/channel-groups.ts";
import type { ChannelSession } from "../../model/channel-session.ts";
import type { Found } from "../../model/message-search.ts";
import { unknownOperator, withFilter } from "../../model/search-query.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { SearchIcon } from "../../ui/icons.tsx";
import { ErrorLine } from "../../ui/submit.tsx";
import { type Action, useAction } from "../../ui/use-action.ts";
import { JumpToDate } from "../jump-to-date.tsx";
import { MessageEntry } from "../message-entry.tsx";
import { pastedPlace } from "./pasted-place.ts";
import { FilterChips, SearchFilters } from "./search-filters.tsx";

interface Props {
  channel: Channel;
  channelSession: ChannelSession;
}

/** Searches messages in this channel, or in all channels the user can read, and jumps to a date. */
export function SearchPanel({ channel, channelSession }: Props) {
  const parley = useParley();
  const { messages: texts, finding } = useTexts();
  const filters = useSearchTexts();
  const action = useAction();
  const { text, isOnlyHere, found } = useStore(parley.search.view);
  const field = useRef<HTMLInputElement>(null);
  const root = useSearchPlace(channel.id);
  // Opening the search focuses its field; the results stay where they were. A later effect could take the focus from the
  // button that gets it when the panel closes.
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  const search = () =>
    action.run(async () => {
      const place = await pastedPlace(parley, text);
      if (place !== null) {
        location.hash = place;
        return;
      }
      const { words, wrongDate, wrongFact, isTooWide } = await parley.search.run();
      const unknown = unknownOperator(words);
      if (wrongDate !== null) action.fail(filters.wrongDate(wrongDate));
      else if (wrongFact !== null) action.fail(filters.wrongFact(wrongFact));
      else if (isTooWide === true) action.fail(filters.noWords);
      else if (unknown !== null) action.fail(filters.unknownOperator(unknown));
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void search();
  };
  return (
    <div className="search" ref={root}>
      <search>
        <form onSubmit={submit}>
          <div className="field-row">
            <input
              type="search"
              aria-label={texts.search}
              placeholder={filters.searchHint}
              maxLength={200}
              autoComplete="off"
              ref={field}
              value={text}
              onChange={(event) => parley.search.edit({ text: event.target.value })}
            />
            <button type="submit" className="icon-button" aria-label={texts.search} disabled={action.isBusy}>
              <SearchIcon />
            </button>
          </div>
          <FilterChips />
          <label className="check">
            <input
              type="checkbox"
              checked={isOnlyHere}
              onChange={(event) => parley.search.edit({ isOnlyHere: event.target.checked })}
            />
            <span>{filters.searchHere}</span>
          </label>
          <SearchFilters channelSession={channelSession} />
        </form>
      </search>
      <details className="filters">
        <summary>{finding.jump}</summary>
        <JumpToDate channel={channel} channelSession={channelSession} />
      </details>
      <ErrorLine text={action.error} />
      {found !== null && <Results found={found} action={action} onSearch={search} />}
    </div>
  );
}

/** Restores how far the results were scrolled, and remembers it when the panel closes. */
function useSearchPlace(channelId: number) {
  const parley = useParley();
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    parley.search.open(channelId);
    const panel = root.current?.closest(".side");
    if (panel == null) return;
    panel.scrollTop = parley.search.scrollTop;
    return () => {
      parley.search.scrollTop = panel.scrollTop;
    };
  }, [parley, channelId]);
  return root;
}

function Results({ found, action, onSearch }: { found: Found; action: Action; onSearch(): void }) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const filters = useSearchTexts();
  const isNone = found.messages.length === 0;
  const isInOne = found.query.channel_id !== undefined || found.query.channel_slug !== undefined;
  const searchAll = () => {
    parley.search.edit({ isOnlyHere: false, text: withFilter(parley.search.view.get().text, "in", null) });
    onSearch();
  };
  /** Returns the name of the channel; a channel further down the list is known by its slug only. */
  const placeOf = ({ channel_id, channel_slug }: FoundMessage): string => {
    const channel = parley.channels.find(channel_id);
    if (channel === undefined) return `#${channel_slug}`;
    return channel.is_direct ? texts.directWith(labelOf(channel)) : `#${channel.name}`;
  };
  return (
    <>
      <p className="visually-hidden" role="status">
        {texts.results(found.messages.length)}
      </p>
      {isNone && found.next === null && <p className="hint">{filters.noResults}</p>}
      {isNone && isInOne && (
        <button type="button" className="secondary" disabled={action.isBusy} onClick={searchAll}>
          {filters.searchAll}
        </button>
      )}
      <ul className="message-entries">
        {found.messages.map((message) => (
          <MessageEntry key={message.id} message={message} where={placeOf(message)} hits={message.highlights} />
        ))}
      </ul>
      {found.next !== null && (
        <button
          type="button"
          className="secondary"
          disabled={action.isBusy}
          onClick={() => void action.run(() => parley.search.more())}
        >
          {texts.moreResults}
        </button>
      )}
    </>
  );
}

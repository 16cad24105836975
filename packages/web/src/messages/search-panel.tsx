import type { Channel } from "@parley/protocol/models";
import type { FoundMessage } from "@parley/protocol/search";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { formValue } from "../ui/form-value.ts";
import { SearchIcon } from "../ui/icons.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { MessageEntry } from "./message-entry.tsx";

interface Found {
  query: { q: string; channel_id?: number };
  messages: readonly FoundMessage[];
  next: number | null;
}

/** Searches messages in this channel, or in all channels the user can read. */
export function SearchPanel({ channel }: { channel: Channel }) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const action = useAction();
  const field = useRef<HTMLInputElement>(null);
  const [isHere, setHere] = useState(true);
  const [found, setFound] = useState<Found | null>(null);
  // Opening the search focuses its field.
  useEffect(() => field.current?.focus(), []);
  const search = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const q = formValue(event.currentTarget, "q").trim();
    if (q === "") return;
    const query = { q, ...(isHere ? { channel_id: channel.id } : {}) };
    await action.run(async () => {
      const page = await parley.client.messages.search(query);
      setFound({ query, messages: page.messages, next: page.has_more ? page.next_before : null });
    });
  };
  const more = ({ query, messages, next }: Found) =>
    action.run(async () => {
      const page = await parley.client.messages.search({ ...query, before: next ?? undefined });
      setFound({ query, messages: [...messages, ...page.messages], next: page.has_more ? page.next_before : null });
    });
  /** Returns the name of the channel; a channel further down the list is known by its slug only. */
  const placeOf = ({ channel_id, channel_slug }: FoundMessage): string => {
    const channel = parley.channels.find(channel_id);
    if (channel === undefined) return `#${channel_slug}`;
    return channel.direct_with === null ? `#${channel.name}` : texts.directWith(channel.direct_with);
  };
  return (
    <div className="search">
      <search>
        <form onSubmit={search}>
          <div className="field-row">
            <input
              name="q"
              type="search"
              aria-label={texts.search}
              placeholder={texts.searchHint}
              maxLength={200}
              autoComplete="off"
              ref={field}
            />
            <button type="submit" className="icon-button" aria-label={texts.search} disabled={action.isBusy}>
              <SearchIcon />
            </button>
          </div>
          <label className="check">
            <input type="checkbox" checked={isHere} onChange={(event) => setHere(event.target.checked)} />
            <span>{texts.searchHere}</span>
          </label>
        </form>
      </search>
      <ErrorLine text={action.error} />
      <p className="visually-hidden" role="status">
        {found !== null && texts.results(found.messages.length)}
      </p>
      {found?.messages.length === 0 && <p className="hint">{texts.noResults}</p>}
      <ul className="message-entries">
        {found?.messages.map((message) => (
          <MessageEntry key={message.id} message={message} where={placeOf(message)} hits={message.highlights} />
        ))}
      </ul>
      {found !== null && found.next !== null && (
        <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void more(found)}>
          {texts.moreResults}
        </button>
      )}
    </div>
  );
}

import type { Channel } from "@parley/protocol/models";
import { useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { sortUsers } from "../model/online-list.ts";
import { lazy } from "../session/lazy.tsx";
import { useStore } from "../state/store.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { PersonEntry } from "./person-entry.tsx";

const AgentsAtWork = lazy(async () => (await import("./at-work/agents-at-work.tsx")).AgentsAtWork);
const MembersDialog = lazy(async () => (await import("./members-dialog.tsx")).MembersDialog);

/** More names than this are counted, not listed. */
const SHOWN = 200;

/** The online list of a channel: people, then agents. */
export function PeoplePanel({ channelSession, channel }: { channelSession: ChannelSession; channel: Channel }) {
  const { people: texts, channels } = useTexts();
  const { users, count, guests } = useStore(channelSession.people);
  const [isListing, setListing] = useState(false);
  const shown = sortUsers(users).slice(0, SHOWN);
  return (
    <div className="people">
      <AgentsAtWork channel={channel} channelSession={channelSession} />
      {shown.length === 0 && <p className="hint">{texts.none}</p>}
      <ul aria-label={texts.online}>
        {shown.map((user) => (
          <PersonEntry
            key={`${user.kind} ${user.name}`}
            name={user.name}
            kind={user.kind}
            channelSession={channelSession}
            channel={channel}
          />
        ))}
      </ul>
      {count > shown.length && <p className="hint">{texts.more(count - shown.length)}</p>}
      {guests > 0 && <p className="hint">{texts.guests(guests)}</p>}
      <button type="button" className="secondary" onClick={() => setListing(true)}>
        {channels.count(channel.member_count)}
      </button>
      {isListing && (
        <DialogBoundary onClose={() => setListing(false)}>
          <MembersDialog channelSession={channelSession} channel={channel} onClose={() => setListing(false)} />
        </DialogBoundary>
      )}
    </div>
  );
}

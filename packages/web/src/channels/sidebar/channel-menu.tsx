import type { Channel } from "@parley/protocol/models";
import type { NotificationLevel } from "@parley/protocol/preferences";
import { useTexts } from "../../i18n/use-texts.ts";
import { notificationsOf } from "../../model/calls/channel-preferences.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";

const LEVELS: readonly (NotificationLevel | null)[] = [null, "all", "mentions", "none"];

interface Props {
  channel: Channel;
  close(): void;
  /** Opens the choice of a section. */
  onSection(): void;
}

/** The user's settings for one of their channels. */
export function ChannelMenu({ channel, close, onSection }: Props) {
  const parley = useParley();
  const { calls, sidebar: texts } = useTexts();
  const { preferences } = parley.calls;
  const { level, muted } = notificationsOf(useStore(preferences.notifications), channel.id);
  const { favourite = false } = useStore(preferences.sidebar).channels[channel.id] ?? {};
  const run = (act: () => Promise<void>) => () => {
    close();
    act().catch((error: unknown) => parley.showError(error));
  };
  const notify = (change: { level?: NotificationLevel | null; muted?: boolean }) =>
    run(() => preferences.setNotifications({ channels: { [channel.id]: change } }));
  const place = (change: { favourite: boolean }) =>
    run(() => preferences.setSidebar({ channels: { [channel.id]: change } }));
  const read = () => {
    close();
    parley.reading.markRead(channel.id, channel.last_seq);
  };
  return (
    <div className="menu">
      {(channel.unread_count ?? 0) > 0 && (
        <button type="button" onClick={read}>
          {texts.markRead}
        </button>
      )}
      <button type="button" onClick={place({ favourite: !favourite })}>
        {favourite ? texts.removeFavourite : texts.addFavourite}
      </button>
      <button
        type="button"
        onClick={() => {
          close();
          onSection();
        }}
      >
        {texts.moveToSection}
      </button>
      <button type="button" onClick={notify({ muted: !muted })}>
        {muted ? calls.unmute : calls.mute}
      </button>
      <fieldset className="choice">
        <legend>{calls.level}</legend>
        {LEVELS.map((each) => (
          <button key={each} type="button" aria-pressed={each === level} onClick={notify({ level: each })}>
            {each === null ? calls.asUsual : calls.shortLevels[each]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

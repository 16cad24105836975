import type { AdminChannel } from "@parley/protocol/administration";
import { useCallback } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Deleted channels that can still be restored. */
export function ChannelsTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const { admin } = parley.client;
  const load = useCallback(
    async (offset: number | undefined) => {
      const { channels, next_offset } = await admin.channels({ deleted: true, offset });
      return { items: channels, next: next_offset };
    },
    [admin],
  );
  const list = useList<AdminChannel>(load);
  const restore = async (channel: AdminChannel) => {
    const isDone = await action.run(async () => {
      await admin.restoreChannel(channel.id);
      await parley.channels.load();
    });
    if (!isDone) return;
    parley.notices.say(texts.restored(channel.name));
    list.reload();
  };
  return (
    <>
      <ErrorLine text={action.error} />
      <ul className="lines">
        {list.items?.map((channel) => (
          <li key={channel.id}>
            <span>
              <bdi className="name">{channel.name}</bdi>
              <span className="muted">
                {texts.ownedBy(channel.owner_username)}
                {channel.restorable_until !== null && ` · ${texts.restorableUntil(momentOf(channel.restorable_until))}`}
              </span>
            </span>
            <button
              type="button"
              className="secondary"
              disabled={action.isBusy}
              aria-label={`${texts.restore}: ${channel.name}`}
              onClick={() => void restore(channel)}
            >
              {texts.restore}
            </button>
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noChannels} />
    </>
  );
}

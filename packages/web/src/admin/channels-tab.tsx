import type { AdminChannel } from "@parley/protocol/administration";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { HoldDialog } from "./hold-dialog.tsx";

/** The filter of the list by kind. */
const FILTERS = { all: {}, standing: { deleted: false }, deleted: { deleted: true } } as const;
type Kind = keyof typeof FILTERS;

/** All channels: deleted ones that can still be restored, and the others; both can be held. */
export function ChannelsTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const { admin } = parley.client;
  const [kind, setKind] = useState<Kind>("all");
  const [holding, setHolding] = useState<AdminChannel | null>(null);
  const load = useCallback(
    async (offset: number | undefined) => {
      const { channels, next_offset } = await admin.channels({ ...FILTERS[kind], offset });
      return { items: channels, next: next_offset };
    },
    [admin, kind],
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
  const endHold = async (channel: AdminChannel) => {
    if (await action.run(async () => void (await admin.holdChannel(channel.id, { until: null })))) list.reload();
  };
  const held = (isDone: boolean) => {
    setHolding(null);
    if (isDone) list.reload();
  };
  return (
    <>
      <Select
        label={texts.show}
        choices={texts.channelKinds}
        value={kind}
        onChange={(event) => setKind(event.target.value as Kind)}
      />
      {holding !== null && <HoldDialog channel={holding} onClose={held} />}
      <ErrorLine text={action.error} />
      <ul className="lines">
        {list.items?.map((channel) => (
          <li key={channel.id}>
            <span>
              <bdi className="name">{channel.name}</bdi>
              <span className="muted">
                {texts.ownedBy(channel.owner_username)}
                {channel.restorable_until !== null && ` · ${texts.restorableUntil(momentOf(channel.restorable_until))}`}
                {channel.effective_retention_days !== null && ` · ${texts.limited(channel.effective_retention_days)}`}
                {channel.held_until !== null &&
                  ` · ${texts.held(momentOf(channel.held_until), channel.hold_reason ?? "")}`}
              </span>
            </span>
            <Hold
              channel={channel}
              isBusy={action.isBusy}
              onHold={() => setHolding(channel)}
              onEnd={() => void endHold(channel)}
            />
            {channel.deleted_at !== null && (
              <button
                type="button"
                className="secondary"
                disabled={action.isBusy}
                aria-label={`${texts.restore}: ${channel.name}`}
                onClick={() => void restore(channel)}
              >
                {texts.restore}
              </button>
            )}
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noChannels} />
    </>
  );
}

/** The button that holds a channel, or ends its hold. */
function Hold({
  channel,
  isBusy,
  onHold,
  onEnd,
}: {
  channel: AdminChannel;
  isBusy: boolean;
  onHold(): void;
  onEnd(): void;
}) {
  const { admin: texts } = useWindowTexts();
  const isHeld = channel.held_until !== null;
  const label = isHeld ? texts.endHold : texts.hold;
  return (
    <button
      type="button"
      className="secondary"
      disabled={isBusy}
      aria-label={`${label}: ${channel.name}`}
      onClick={isHeld ? onEnd : onHold}
    >
      {label}
    </button>
  );
}

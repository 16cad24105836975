import type { Notification } from "@parley/protocol/notifications";
import { memo, useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useNotificationTexts } from "../i18n/hooks/use-notification-texts.ts";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useSecurityTexts } from "../i18n/hooks/use-security-texts.ts";
import type { NotificationTexts } from "../i18n/notification-texts.ts";
import type { NotificationList } from "../model/calls/notification-list.ts";
import { titleOf } from "../model/calls/notification-title.ts";
import { labelOf } from "../model/channel-groups.ts";
import { Avatar } from "../people/avatar.tsx";
import { useFullNames } from "../people/full-names.ts";
import type { OpenDialog } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";
import { channelHref, hrefOf } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { BellIcon, CheckIcon } from "../ui/icons.tsx";
import { ReminderActs } from "./reminder-acts.tsx";
import { UndoSetup } from "./undo-setup.tsx";

interface Props {
  notification: Notification;
  list: NotificationList;
  close(): void;
}

/** One notification: a link to what it is about, which also marks it as read. */
export const Entry = memo(function Entry({ notification, list, close }: Props) {
  const parley = useParley();
  const texts = usePanelTexts();
  const { notification_id: id, message_id: messageId, from, notice, reminder, read_at, created_at } = notification;
  const channel = useChannel(placeOf(notification));
  const words = useNotificationTexts();
  const [full] = useFullNames(from?.kind === "user" ? [from.name] : []);
  const named = from === null ? null : { ...from, name: full ?? from.name };
  const title = titleOf({ ...notification, from: named }, channel?.name ?? "", words);
  const details = useNoticeDetails(notice, words);
  const text = reminder?.note ?? (notice === undefined ? notification.text : details);
  const isUnread = read_at === null;
  const href =
    channel == null
      ? undefined
      : messageId === null
        ? channelHref(channel.slug)
        : hrefOf({ slug: channel.slug, messageId });
  const open = () => {
    if (isUnread) void list.markRead(id);
    if (href !== undefined) close();
  };
  const openWindow = (dialog: OpenDialog) => {
    if (isUnread) void list.markRead(id);
    close();
    parley.openDialog.set(dialog);
  };
  const agentOf = AGENTS.get(notice?.code ?? "");
  return (
    <li className="notification" data-unread={isUnread ? "" : undefined}>
      <a href={href} onClick={open}>
        {from === null ? <BellIcon /> : <Avatar name={from.name} isAgent={from.kind !== "user"} isSmall />}
        <span className="what">
          <span className="title">
            {isUnread && <span className="visually-hidden">{texts.unread}: </span>}
            <bdi>{title}</bdi>
          </span>
          {text !== null && text !== "" && (
            <span className="excerpt" dir="auto">
              {text}
            </span>
          )}
          <span className="muted">
            {channel === null && notice === undefined ? (
              texts.gone
            ) : (
              <time dateTime={created_at}>{momentOf(created_at)}</time>
            )}
          </span>
        </span>
      </a>
      {notice?.code === "message_reported" && (
        <div className="undo">
          <button type="button" className="secondary" onClick={() => openWindow({ window: "admin" })}>
            {texts.openReports}
          </button>
        </div>
      )}
      {notice?.code === "scheduled_failed" && (
        <div className="undo">
          <button type="button" className="secondary" onClick={() => openWindow({ window: "scheduled" })}>
            {texts.openScheduled}
          </button>
        </div>
      )}
      {reminder !== undefined && messageId !== null && (
        <ReminderActs
          messageId={messageId}
          reminder={reminder}
          onDone={() => isUnread && void list.markRead(id)}
          onChoose={() => openWindow({ window: "reminders", of: { messageId, note: reminder.note } })}
        />
      )}
      {agentOf !== undefined && notice?.subject != null && (
        <div className="undo">
          <button
            type="button"
            className="secondary"
            onClick={() => openWindow({ window: "agents", show: { name: notice.subject ?? "", reason: agentOf } })}
          >
            {agentOf === "budget" ? texts.openBudgets : texts.openAgent}
          </button>
        </div>
      )}
      {notice?.code === "setup_code_claimed" && <UndoSetup notice={notice} onDone={open} />}
      {isUnread && (
        <button
          type="button"
          className="icon-button"
          aria-label={texts.markRead(title)}
          title={texts.markRead(title)}
          onClick={(event) => {
            // The button goes, and the focus would with it.
            event.currentTarget.closest("li")?.querySelector("a")?.focus();
            void list.markRead(id);
          }}
        >
          <CheckIcon />
        </button>
      )}
    </li>
  );
});

/** Notices of the user's agents, with what is to be changed. The loop guard is ended in the channel. */
const AGENTS: ReadonlyMap<string, string> = new Map([
  ["agent_budget_low", "budget"],
  ["agent_budget_exhausted", "budget"],
  ["agent_paused", "paused"],
  ["agent_away", "away"],
]);

/** The channels of these notices cannot be shown, and mostly not read. */
const LOST: ReadonlySet<string> = new Set(["removed", "banned", "channel_deleted"]);

const placeOf = ({ channel_id, notice }: Notification): number | null =>
  notice !== undefined && LOST.has(notice.code) ? null : channel_id;

/** Returns what more a notice says; null: nothing. */
function useNoticeDetails(notice: Notification["notice"], texts: NotificationTexts): string | null {
  const security = useSecurityTexts();
  if (notice === undefined) return null;
  const { code, detail } = notice;
  const named = (words: Record<string, string>) =>
    detail !== null && Object.hasOwn(words, detail) ? (words[detail] ?? null) : null;
  if (code === "security") return named(security.kinds);
  if (code === "report_decided") return named(texts.reportStates);
  if (code === "role_changed") return named(texts.roles);
  if (code === "muted" || code === "banned") return detail === null ? texts.forGood : texts.until(momentOf(detail));
  if (code === "reminder_ended") return detail;
  if (code === "packet_refunded")
    return detail?.replace(/^(\S+) points$/, (_, count: string) => texts.points(count)) ?? null;
  return null;
}

/**
 * Returns the name and slug of a channel, also of one that is not in the user's list; null if the user cannot see it any
 * more, undefined until it is known.
 */
export function useChannel(channelId: number | null): { name: string; slug: string } | null | undefined {
  const parley = useParley();
  useStore(parley.channels.view);
  const listed = channelId === null ? undefined : parley.channels.find(channelId);
  const [read, setRead] = useState<{ name: string; slug: string } | null>();
  const isUnknown = channelId !== null && listed === undefined;
  useEffect(() => {
    if (!isUnknown || channelId === null) return;
    parley.client.channels.get(channelId).then(
      ({ channel }) => setRead({ name: labelOf(channel), slug: channel.channel_slug }),
      // The channel is gone, or the user is no longer in it; or the network is, and opening the list again helps.
      () => setRead(null),
    );
  }, [parley, channelId, isUnknown]);
  if (channelId === null) return null;
  return listed === undefined ? read : { name: labelOf(listed), slug: listed.channel_slug };
}

import type { NotificationTexts, ToldNotice } from "../i18n/notification-texts.ts";
import { titleOf } from "../model/calls/notification-title.ts";
import { announcedIdOf, type ShownData } from "../model/calls/shown-data.ts";
import { hrefOf } from "../state/route.ts";

/** What a push message says (protocol §13.5). */
interface Pushed {
  v: 1;
  kind: string;
  notification_id: number | null;
  channel_id: number | null;
  channel_slug: string | null;
  channel_name: string | null;
  message_id: number | null;
  notice?: ToldNotice;
  /** With the user's own note, if they want texts on their screen. */
  reminder?: { note: string | null };
  /** The kind is `user`, `agent` or `webhook`. */
  from: { kind?: string; name: string } | null;
  text: string | null;
  url: string;
  unread: number;
  tag: string;
}

/** Kinds of which the title says all, without the text of a message. */
const WORDLESS: ReadonlySet<string> = new Set(["reaction", "notice", "reminder"]);

/** A notification of the system. */
export interface ToShow {
  title: string;
  body: string;
  tag: string;
  data: ShownData;
  /** The id under which a page of this browser may have announced it; null: none does. */
  announcedId: number | null;
  /** The number of unread notifications, for the app's icon; null: unknown. */
  unread: number | null;
}

/**
 * Returns the notification for a push message. Browsers end a subscription that shows nothing, so there is one also for
 * a message that this version cannot read.
 */
export function notificationOf(text: string | undefined, texts: NotificationTexts): ToShow {
  const pushed = parse(text);
  if (pushed === null) {
    const data = { url: "/", channelId: null, messageId: null, notificationId: null };
    return { title: texts.news, body: "", tag: "parley", data, announcedId: null, unread: null };
  }
  const { message_id: messageId, tag, unread } = pushed;
  // Reading the channel does not read a reminder.
  const channelId = pushed.kind === "reminder" ? null : pushed.channel_id;
  return {
    title: titleOf(pushed, pushed.channel_name, texts),
    body: pushed.reminder?.note ?? pushed.text ?? (WORDLESS.has(pushed.kind) ? "" : texts.newMessage),
    tag,
    data: { url: addressOf(pushed), channelId, messageId, notificationId: pushed.notification_id },
    announcedId: announcedIdOf(pushed),
    unread,
  };
}

/** Returns the address of the message in the page. The payload's own may be one of another version of it. */
function addressOf({ channel_slug: slug, message_id: messageId, url }: Pushed): string {
  const { origin } = location;
  if (slug !== null) return `${origin}/${hrefOf({ slug, messageId })}`;
  const target = URL.parse(url, origin);
  return target?.origin === origin ? target.href : `${origin}/`;
}

function parse(text: string | undefined): Pushed | null {
  try {
    const pushed = JSON.parse(text ?? "") as Partial<Pushed> | null;
    const isKnown = pushed?.v === 1 && typeof pushed.kind === "string" && typeof pushed.tag === "string";
    return isKnown && typeof pushed.url === "string" ? (pushed as Pushed) : null;
  } catch {
    return null;
  }
}

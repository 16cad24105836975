import { type NotificationTexts, noticeTitle, type ToldNotice } from "../../i18n/notification-texts.ts";
import { markedName } from "../sender.ts";

/** The notification of which the title speaks. Later versions of the server may send other kinds. */
interface Titled {
  kind: string;
  /** The kind is `user`, `agent` or `webhook`. */
  from: { kind?: string; name: string } | null;
  notice?: ToldNotice | undefined;
}

/** Returns who did what, as the list of notifications and pushed ones show it. `channel` is a name; null: in none. */
export function titleOf({ kind, from, notice }: Titled, channel: string | null, texts: NotificationTexts): string {
  const sender = from === null ? texts.somebody : markedName(from);
  if (kind === "notice") return notice === undefined ? texts.notice : noticeTitle(notice, texts);
  if (kind === "direct" || channel === null) return texts.direct(sender);
  if (kind === "mention" || kind === "thread_reply" || kind === "reaction" || kind === "card" || kind === "reminder") {
    return texts[kind](sender, channel);
  }
  return texts.message(sender, channel);
}

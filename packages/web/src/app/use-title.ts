import { useEffect } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import { useParley } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";

/** The largest number on the icon; more are shown as this. */
const ICON_MAX = 10;

/** Shows in the title and the icon what waits for the user: the number of messages for them, or a dot for others. */
export function useTitle(): void {
  const parley = useParley();
  const route = useStore(parley.route);
  useStore(parley.channels.view);
  const { calls, hasUnread } = useStore(parley.calls.attention);
  const listed = useStore(parley.calls.unread);
  const channel = parley.channelAt(route);
  const site = useSite()?.name ?? "Parley";
  const { threads, sidebar } = useTexts();
  const channelName = channel === undefined ? null : labelOf(channel);
  const place = { threads: threads.list, "catch-up": sidebar.catchUp, channel: channelName }[route.page];
  const name = place === null ? site : `${place} · ${site}`;
  useEffect(() => {
    const mark = calls > 0 ? `(${calls > 99 ? "99+" : calls}) ` : hasUnread ? "• " : "";
    document.title = mark + name;
  }, [name, calls, hasUnread]);
  useEffect(() => {
    if (!("setAppBadge" in navigator)) return;
    // The icon of the installed app; refused where it is not installed.
    (listed > 0 ? navigator.setAppBadge(listed) : navigator.clearAppBadge()).catch(() => {});
  }, [listed]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link === null) return;
    const plain = link.href;
    if (calls > 0) link.href = `/favicon.ico?badge=${Math.min(calls, ICON_MAX)}`;
    else if (hasUnread) link.href = "/favicon.ico?badge=0";
    return () => {
      link.href = plain;
    };
  }, [calls, hasUnread]);
}

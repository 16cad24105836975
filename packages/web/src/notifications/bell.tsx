import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { BellIcon, MutedIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";

/** Has the panel's size, by which the popover is placed before the code has loaded. */
const Waiting = () => <div className="notification-panel" aria-busy="true" />;
const Panel = lazy<{ close(): void }>(async () => (await import("./panel.tsx")).NotificationPanel, Waiting);

/** Opens the user's list of notifications; shows how many are unread, and whether they are paused. */
export function Bell() {
  const parley = useParley();
  const { calls: texts } = useTexts();
  const unread = useStore(parley.calls.unread);
  const { muted_until = null } = useStore(parley.calls.preferences.notifications);
  const isPaused = muted_until !== null && Date.parse(muted_until) > Date.now();
  const hints = [...(unread > 0 ? [texts.unreadList(unread)] : []), ...(isPaused ? [texts.pausedList] : [])];
  const icon = (
    <>
      {isPaused ? <MutedIcon /> : <BellIcon />}
      {unread > 0 && <span className="badge" data-count={unread > 99 ? "99+" : unread} />}
    </>
  );
  return (
    <Popover label={[texts.title, ...hints].join(", ")} className="icon-button bell" button={icon}>
      {(close) => <Panel close={close} />}
    </Popover>
  );
}

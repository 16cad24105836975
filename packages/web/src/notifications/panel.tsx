import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type PanelTexts, usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { type ListedNotifications, NotificationList } from "../model/calls/notification-list.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { CheckIcon, ClockIcon, GearIcon } from "../ui/icons.tsx";
import { Entry } from "./entry.tsx";
import { Pause } from "./pause.tsx";

/** The user's notifications, newest first. */
export function NotificationPanel({ close }: { close(): void }) {
  const parley = useParley();
  const texts = usePanelTexts();
  const list = useNotificationList();
  const view = useStore(list.view);
  const unread = useStore(parley.calls.unread);
  const section = useRef<HTMLElement>(null);
  // The code may load after the popover has opened, which focuses what is in it.
  useLayoutEffect(() => section.current?.focus(), []);
  const settings = () => {
    close();
    parley.openDialog.set({ window: "profile", tab: "notifications" });
  };
  const reminders = () => {
    close();
    parley.openDialog.set({ window: "reminders" });
  };
  return (
    <section className="notification-panel" aria-label={texts.title} ref={section} tabIndex={-1}>
      <header>
        <h2>{texts.title}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label={texts.reminders}
          title={texts.reminders}
          onClick={reminders}
        >
          <ClockIcon />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={texts.markAllRead}
          title={texts.markAllRead}
          disabled={view.items.length === 0 || (unread === 0 && view.items.every(({ read_at }) => read_at !== null))}
          onClick={() => void list.markAllRead()}
        >
          <CheckIcon />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={texts.settings}
          title={texts.settings}
          onClick={settings}
        >
          <GearIcon />
        </button>
      </header>
      <fieldset className="choice">
        <legend className="visually-hidden">{texts.filter}</legend>
        {[false, true].map((onlyUnread) => (
          <button
            key={String(onlyUnread)}
            type="button"
            aria-pressed={view.onlyUnread === onlyUnread}
            onClick={() => list.load(onlyUnread)}
          >
            {onlyUnread ? texts.onlyUnread : texts.all}
          </button>
        ))}
      </fieldset>
      <div className="notification-list" aria-busy={view.state === "loading"}>
        <Entries view={view} list={list} close={close} />
        <End view={view} list={list} texts={texts} />
      </div>
      <Pause isShort />
    </section>
  );
}

/** Returns the list, loaded and kept up to date while the component is mounted. */
function useNotificationList(): NotificationList {
  const parley = useParley();
  const [list] = useState(() => new NotificationList(parley.client, (error) => parley.showError(error)));
  useEffect(() => {
    list.load();
    const stop = parley.live.onEvent((event) => list.take(event));
    return () => {
      stop();
      list.close();
    };
  }, [parley, list]);
  return list;
}

function Entries({ view, list, close }: { view: ListedNotifications; list: NotificationList; close(): void }) {
  if (view.items.length === 0) return null;
  return (
    <ul onKeyDown={walkLinks}>
      {view.items.map((item) => (
        <Entry key={item.notification_id} notification={item} list={list} close={close} />
      ))}
    </ul>
  );
}

/** Arrow keys move between the entries. */
function walkLinks(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll("a")];
  all[all.indexOf(event.target) + step]?.focus();
}

/** What is below the entries: a note about their absence, or a button that loads more. */
function End({ view, list, texts }: { view: ListedNotifications; list: NotificationList; texts: PanelTexts }) {
  const { app } = useTexts();
  if (view.state === "failed") {
    return (
      <div className="note" role="alert">
        <p>{texts.failed}</p>
        <button type="button" className="secondary" onClick={() => list.load()}>
          {texts.reload}
        </button>
      </div>
    );
  }
  if (view.items.length === 0) {
    const none = view.onlyUnread ? texts.noUnread : texts.none;
    return <p className="note hint">{view.state === "loading" ? app.loading : none}</p>;
  }
  if (view.next === null) return null;
  return (
    <button type="button" className="secondary" onClick={() => void list.more()}>
      {texts.more}
    </button>
  );
}

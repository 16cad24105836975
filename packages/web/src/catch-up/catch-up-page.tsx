import { useEffect, useState } from "react";
import { ConnectionBanner } from "../channels/connection-banner.tsx";
import { MenuButton } from "../channels/menu-button.tsx";
import { useCatchUpTexts } from "../i18n/hooks/use-catch-up-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { CheckIcon } from "../ui/icons.tsx";
import { type CatchUp, catchUpOf } from "./catch-up.ts";
import { EntryRow } from "./entry-row.tsx";
import { useEntries } from "./use-entries.ts";
import { useEntryKeys } from "./use-entry-keys.ts";

/** Everything that waits for the user: cards, unread channels, mentions and threads, and what agents did. */
export function CatchUpPage({ onMenu }: { onMenu(): void }) {
  const parley = useParley();
  const texts = useCatchUpTexts();
  const session = useStore(parley.session);
  return (
    <main className="page">
      <section className="conversation catch-up" id="conversation" aria-label={texts.title}>
        {session.state === "user" ? (
          <Waiting key={session.user.username} catchUp={catchUpOf(parley)} onMenu={onMenu} />
        ) : (
          <>
            <Header onMenu={onMenu} />
            <div className="scroller">
              <p className="empty">{session.state === "guest" && texts.guest}</p>
            </div>
          </>
        )}
        <ConnectionBanner />
      </section>
    </main>
  );
}

function Header({ onMenu, children }: { onMenu(): void; children?: React.ReactNode }) {
  const texts = useCatchUpTexts();
  return (
    <header className="bar">
      <MenuButton onMenu={onMenu} />
      <div className="title">
        <h2>{texts.title}</h2>
      </div>
      {children}
    </header>
  );
}

/** Entries that are drawn; the rest follows as these are done. */
const DRAWN_MAX = 100;

function Waiting({ catchUp, onMenu }: { catchUp: CatchUp; onMenu(): void }) {
  const texts = useCatchUpTexts();
  const { app } = useTexts();
  const { entries, state } = useEntries(catchUp);
  const steps = useStore(catchUp.steps);
  const drawn = entries.slice(0, DRAWN_MAX);
  // The first entries appear together: what is read first would move under the reader's cursor.
  const [isShown, setShown] = useState(state === "ready");
  useEffect(() => {
    if (state !== "loading") setShown(true);
  }, [state]);
  const { active, setActive, list, said, finish, finishAll, undo } = useEntryKeys(catchUp, drawn, isShown);
  const below = entries.length - drawn.length;
  return (
    <>
      <Header onMenu={onMenu}>
        {steps > 0 && (
          <button type="button" className="secondary" onClick={undo}>
            {texts.undo}
          </button>
        )}
        <button
          type="button"
          className="secondary all-read"
          aria-label={texts.allRead}
          title={texts.allRead}
          disabled={entries.length === 0}
          onClick={finishAll}
        >
          <CheckIcon />
          <span>{texts.allRead}</span>
        </button>
      </Header>
      <div className="scroller threads-list" aria-busy={!isShown}>
        {!isShown && <p className="empty">{app.loading}</p>}
        {state === "failed" && <p className="empty">{texts.failed}</p>}
        {isShown && entries.length === 0 && state === "ready" && (
          <div className="empty caught-up">
            <p>{texts.none}</p>
            <p className="hint">{texts.noneHint}</p>
          </div>
        )}
        {isShown && drawn.length > 0 && (
          <>
            <p className="hint only-keys">{texts.keys}</p>
            <ul className="message-entries" ref={list} aria-label={texts.list}>
              {drawn.map((entry) => (
                <EntryRow
                  key={entry.key}
                  entry={entry}
                  isActive={entry.key === active}
                  onActive={() => setActive(entry.key)}
                  onDone={() => finish(entry)}
                />
              ))}
            </ul>
            {below > 0 && <p className="hint">{texts.andMore(below)}</p>}
          </>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}

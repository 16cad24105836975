import type { Session } from "@parley/protocol/models";
import { useCallback } from "react";
import { deviceOf } from "../account/devices.ts";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** The user's sessions, with buttons to end them. */
export function Sessions() {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const action = useAction();
  const { accounts } = parley.client;
  const load = useCallback(async () => {
    const { sessions } = await accounts.sessions();
    // The current session first, then the most recently used.
    const items = sessions.toSorted(
      (a, b) => Number(b.current) - Number(a.current) || b.last_seen_at.localeCompare(a.last_seen_at),
    );
    return { items, next: null };
  }, [accounts]);
  const list = useList<Session>(load);
  const run = async (what: () => Promise<unknown>) => {
    if (await action.run(what)) parley.notices.say(texts.ended);
    list.reload();
  };
  const endAll = async () => {
    const question = { title: texts.sessions, text: texts.endOthersSure, action: texts.endOthers };
    if (await parley.confirm.ask(question)) await run(() => accounts.endOtherSessions());
  };
  return (
    <>
      <ul className="lines" aria-label={texts.sessions}>
        {list.items?.map((session) => {
          const device = deviceOf(session.user_agent) ?? texts.unknownDevice;
          return (
            <li key={session.session_id}>
              <span>
                <bdi>{device}</bdi> {session.current && <span className="badge">{texts.thisOne}</span>}
                <span className="muted">
                  {[
                    ...(session.address === null ? [] : [session.address]),
                    texts.since(momentOf(session.created_at)),
                    ...(session.current ? [] : [texts.lastSeen(momentOf(session.last_seen_at))]),
                  ].join(" · ")}
                </span>
              </span>
              {!session.current && (
                <button
                  type="button"
                  className="secondary danger"
                  disabled={action.isBusy}
                  aria-label={`${texts.end}: ${device}, ${momentOf(session.created_at)}`}
                  onClick={() => void run(() => accounts.endSession(session.session_id))}
                >
                  {texts.end}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      <ListEnd list={list} none="" />
      <ErrorLine text={action.error} />
      {(list.items?.length ?? 0) > 1 && (
        <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void endAll()}>
          {texts.endOthers}
        </button>
      )}
    </>
  );
}

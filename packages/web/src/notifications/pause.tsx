import { momentOf } from "../i18n/date-format.ts";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

const HOUR_MS = 60 * 60_000;
/** "Until I turn them on": nobody waits for its end. */
const OPEN_MS = 100 * 365 * 24 * HOUR_MS;
const PAUSES = { hour: HOUR_MS, hours: 8 * HOUR_MS, open: OPEN_MS } as const;

/** Pauses all notifications, everywhere, for some time; or ends the pause. `isShort`: without an explanation. */
export function Pause({ isShort = false }: { isShort?: boolean }) {
  const parley = useParley();
  const texts = usePanelTexts();
  const { muted_until: until = null } = useStore(parley.calls.preferences.notifications);
  const set = (muted_until: string | null) => {
    parley.calls.preferences.setNotifications({ muted_until }).catch((error: unknown) => parley.showError(error));
  };
  const left = until === null ? 0 : Date.parse(until) - Date.now();
  if (until !== null && left > 0) {
    return (
      <div className="pause" role="status">
        <span>{left > OPEN_MS / 2 ? texts.paused : texts.pausedUntil(momentOf(until))}</span>
        <button type="button" className="secondary" onClick={() => set(null)}>
          {texts.resume}
        </button>
      </div>
    );
  }
  return (
    <div className="pause">
      <fieldset className="choice">
        <legend>{texts.pause}</legend>
        {(Object.keys(PAUSES) as (keyof typeof PAUSES)[]).map((each) => (
          <button key={each} type="button" onClick={() => set(new Date(Date.now() + PAUSES[each]).toISOString())}>
            {texts.pauses[each]}
          </button>
        ))}
      </fieldset>
      {!isShort && <p className="hint">{texts.pauseHint}</p>}
    </div>
  );
}

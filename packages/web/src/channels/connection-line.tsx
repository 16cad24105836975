import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

/** Shows the state of the connection unless all is well, and tells screen readers when it is well again. */
export function ConnectionLine() {
  const parley = useParley();
  const { connection: texts } = useTexts();
  const state = useStore(parley.connection);
  return (
    <div className={state === "live" ? "connection visually-hidden" : "connection"} data-state={state}>
      <span role="status">{texts[state]}</span>
      {(state === "waiting" || state === "ended") && (
        <button type="button" className="link" onClick={() => parley.live.open()}>
          {texts.now}
        </button>
      )}
    </div>
  );
}

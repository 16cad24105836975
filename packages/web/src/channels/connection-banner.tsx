import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

/** Says above the composer that the connection is lost, and what happens to messages meanwhile. */
export function ConnectionBanner() {
  const parley = useParley();
  const { connection: texts } = useTexts();
  const self = useSelf();
  const state = useStore(parley.connection);
  const isLost = useStore(parley.isLost);
  return (
    // Mounted before it has content, so that screen readers announce it.
    <div className="connection-banner" role="status">
      {isLost && (
        <>
          <p>
            <strong>{texts[state]}</strong> {self !== null && texts.hint}
          </p>
          {state !== "connecting" && (
            <button type="button" className="link" onClick={() => parley.live.open()}>
              {texts.now}
            </button>
          )}
        </>
      )}
    </div>
  );
}

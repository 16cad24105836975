import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { HOME_HREF, parseRoute } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { MenuButton } from "./menu-button.tsx";

const START = parseRoute("");

/** Shown when there is no channel at the address. It always leads on. `isStart`: the address is the start page. */
export function NoChannel({ isStart, onMenu }: { isStart: boolean; onMenu(): void }) {
  const parley = useParley();
  const { app, channels: texts } = useTexts();
  const { state } = useStore(parley.channels.view);
  const home = parley.channelAt(START);
  const way = () => {
    // `private` without a session is the front door; until the session is known, nothing can be said.
    if (state === "loading" || state === "private") return <p>{app.loading}</p>;
    if (isStart && state === "ready") return <FirstChannel />;
    return (
      <>
        <p>{state === "failed" ? app.loading : app.notHere}</p>
        {home !== undefined && <a href={HOME_HREF}>{app.home(home.is_direct ? labelOf(home) : `#${home.name}`)}</a>}
      </>
    );
  };
  return (
    <main className="page empty" aria-label={texts.list}>
      <MenuButton onMenu={onMenu} />
      {way()}
    </main>
  );
}

function FirstChannel() {
  const parley = useParley();
  const { channels: texts } = useTexts();
  const self = useSelf();
  return (
    <>
      <p>{texts.none}</p>
      {self !== null && (
        <button type="button" onClick={() => parley.openDialog.set({ window: "new channel" })}>
          {texts.create}
        </button>
      )}
    </>
  );
}

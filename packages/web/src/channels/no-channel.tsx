import { useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { HOME_HREF } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { CreateChannel } from "./create-channel.tsx";
import { MenuButton } from "./menu-button.tsx";

/** Shown when there is no channel at the address. It always leads on. `isStart`: the address is the start page. */
export function NoChannel({ isStart, onMenu }: { isStart: boolean; onMenu(): void }) {
  const parley = useParley();
  const { app, channels: texts } = useTexts();
  const { state } = useStore(parley.channels.view);
  const home = parley.channels.home();
  const way = () => {
    if (state === "loading") return <p>{app.loading}</p>;
    if (state === "private") return <LogIn />;
    if (isStart && state === "ready") return <FirstChannel />;
    return (
      <>
        <p>{state === "failed" ? app.loading : app.notHere}</p>
        {home !== undefined && <a href={HOME_HREF}>{app.home(home.direct_with ?? `#${home.name}`)}</a>}
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

function LogIn() {
  const parley = useParley();
  const { account: texts } = useTexts();
  return (
    <>
      <p>{texts.required}</p>
      <div className="row">
        <button type="button" onClick={() => parley.loginDialog.set("login")}>
          {texts.logIn}
        </button>
        <button type="button" className="secondary" onClick={() => parley.loginDialog.set("register")}>
          {texts.register}
        </button>
      </div>
    </>
  );
}

function FirstChannel() {
  const { channels: texts } = useTexts();
  const self = useSelf();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <p>{texts.none}</p>
      {self !== null && (
        <button type="button" onClick={() => setCreating(true)}>
          {texts.create}
        </button>
      )}
      {isCreating && (
        <DialogBoundary onClose={() => setCreating(false)}>
          <CreateChannel onClose={() => setCreating(false)} />
        </DialogBoundary>
      )}
    </>
  );
}

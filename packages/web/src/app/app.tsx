import { useEffect, useState } from "react";
import { useLoginFailure } from "../account/use-login-failure.ts";
import { ChannelPage } from "../channels/channel-page.tsx";
import { ConnectionLine } from "../channels/connection-line.tsx";
import { Sidebar } from "../channels/sidebar/sidebar.tsx";
import { useTexts } from "../i18n/use-texts.ts";
import { useShortcuts } from "../navigation/use-shortcuts.ts";
import { CardPlace } from "../people/card-place.tsx";
import { later, lazy } from "../session/lazy.tsx";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { useCover } from "../ui/covers/use-cover.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { isEscape } from "../ui/escape-key.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { NoticeList } from "./notice-list.tsx";
import { useTitle } from "./use-title.ts";

const Windows = later(async () => (await import("./windows.tsx")).Windows);
const LoginDialog = lazy(async () => (await import("../account/login-dialog.tsx")).LoginDialog);
const RequiredFactor = lazy(async () => (await import("../profile/required-factor.tsx")).RequiredFactor);
const ThreadsPage = lazy(async () => (await import("../channels/threads/threads-page.tsx")).ThreadsPage);
const CatchUpPage = lazy(async () => (await import("../catch-up/catch-up-page.tsx")).CatchUpPage);
const FrontDoor = lazy(async () => (await import("../welcome/front-door.tsx")).FrontDoor);

/** The whole page: the sidebar, and the channel in the address. */
export function App() {
  const parley = useParley();
  const texts = useTexts();
  const route = useStore(parley.route);
  const loginDialog = useStore(parley.loginDialog);
  const lacksFactor = useStore(parley.lacksFactor);
  const isAtDoor = useIsAtDoor();
  useShortcuts(!isAtDoor);
  useTitle();
  useLoginFailure();
  const [isMenuOpen, setMenuOpen] = useState(false);
  // On a phone, choosing a channel closes the menu that covers it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address closes the menu
  useEffect(() => setMenuOpen(false), [route]);
  useCover(isMenuOpen, () => setMenuOpen(false));
  useEffect(() => {
    if (!isMenuOpen) return;
    const close = (event: KeyboardEvent) => isEscape(event) && setMenuOpen(false);
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [isMenuOpen]);
  return (
    <div className="shell" data-menu={isMenuOpen ? "open" : undefined} data-door={isAtDoor ? "" : undefined}>
      {isAtDoor ? (
        <FrontDoor>
          <ConnectionLine />
        </FrontDoor>
      ) : (
        <>
          <button type="button" className="skip" onClick={skip}>
            {texts.app.skip}
          </button>
          <Sidebar isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
          {route.page === "threads" ? (
            <ThreadsPage onMenu={() => setMenuOpen(true)} />
          ) : route.page === "catch-up" ? (
            <CatchUpPage onMenu={() => setMenuOpen(true)} />
          ) : (
            <ChannelPage route={route} onMenu={() => setMenuOpen(true)} />
          )}
        </>
      )}
      {loginDialog !== null && (
        <DialogBoundary onClose={() => parley.loginDialog.set(null)}>
          <LoginDialog />
        </DialogBoundary>
      )}
      {lacksFactor !== null && <RequiredFactor username={lacksFactor} />}
      <OpenWindow />
      <CardPlace />
      <ConfirmDialog />
      <NoticeList />
    </div>
  );
}

/** The window that is open over the page, if any. */
function OpenWindow() {
  const openDialog = useStore(useParley().openDialog);
  return openDialog === null ? null : <Windows />;
}

/** True for people without a session who can read nothing here, or who follow an invitation. */
function useIsAtDoor(): boolean {
  const parley = useParley();
  const isInvited = useStore(parley.entrance.isAtDoor);
  const { state } = useStore(parley.channels.view);
  const session = useStore(parley.session);
  return session.state === "guest" && (isInvited || state === "private");
}

function skip(): void {
  document.querySelector<HTMLElement>("#conversation .message[tabindex='0'], #text")?.focus();
}

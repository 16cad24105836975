import { useTexts } from "../i18n/use-texts.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { later } from "../session/lazy.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { mayRegister } from "../session/site-access.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { MoreIcon, PlusIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";

const AccountMenu = later(async () => (await import("./account-menu.tsx")).AccountMenu);

/** The user's name at the foot of the sidebar, with the account menu. */
export function AccountBar() {
  const parley = useParley();
  const texts = useTexts();
  const self = useSelf();
  const session = useStore(parley.session);
  const site = useSite();
  const canRegister = site === null || mayRegister(site);
  return (
    <footer className="account">
      {session.state === "unknown" && <span />}
      {self !== null && (
        <span className="me">
          <Avatar name={self} isAgent={false} isSmall />
          <Name name={self} />
        </span>
      )}
      {session.state === "guest" && <p>{texts.account.guestHint}</p>}
      <Popover label={texts.account.menu(self ?? texts.account.guest)} button={<MoreIcon />}>
        {(close) => <AccountMenu close={close} isUser={self !== null} />}
      </Popover>
      {session.state === "guest" && (
        <div className="guest">
          <button type="button" onClick={() => parley.loginDialog.set("login")}>
            {texts.account.logIn}
          </button>
          {canRegister && (
            <button type="button" className="secondary" onClick={() => parley.loginDialog.set("register")}>
              {texts.account.register}
            </button>
          )}
        </div>
      )}
      {self !== null && canRegister && (
        <button type="button" className="secondary invite" onClick={() => parley.openDialog.set({ window: "invite" })}>
          <PlusIcon />
          {texts.account.invitePeople}
        </button>
      )}
    </footer>
  );
}

import { type ReactNode, useEffect } from "react";
import { useWelcomeTexts } from "../i18n/hooks/use-welcome-texts.ts";
import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { mayRegister } from "../session/site-access.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { OwnerHint } from "./owner-hint.tsx";

/** The page of people who are not logged in, where they can read nothing or follow an invitation. */
export function FrontDoor({ children }: { children: ReactNode }) {
  const parley = useParley();
  const { app, account } = useTexts();
  const { door } = useWelcomeTexts();
  const site = useSite();
  const { entrance } = parley;
  const isInvited = useStore(entrance.isAtDoor);
  const inviter = useStore(entrance.inviter);
  const canRegister = site !== null && mayRegister(site);
  const isWelcome = canRegister && isInvited && typeof inviter === "string";
  useEffect(() => {
    if (isWelcome) parley.loginDialog.set("register");
  }, [parley, isWelcome]);
  return (
    <main className="page empty door">
      <img src="/favicon.ico" alt="" width="56" height="56" />
      <h1>
        <bdi>{site?.name ?? "Parley"}</bdi>
      </h1>
      <Welcome />
      <div className="row">
        <button
          type="button"
          className={isWelcome ? "secondary" : undefined}
          onClick={() => parley.loginDialog.set("login")}
        >
          {account.logIn}
        </button>
        {canRegister && (
          <button
            type="button"
            className={isWelcome ? undefined : "secondary"}
            onClick={() => parley.loginDialog.set("register")}
          >
            {account.register}
          </button>
        )}
      </div>
      {isInvited && site?.guest_read === true && (
        <button type="button" className="link" onClick={() => entrance.leave()}>
          {door.lookAround}
        </button>
      )}
      {site?.needs_owner === true && <OwnerHint />}
      <footer>
        <Languages />
        <a href="/claim">{app.claim}</a>
        <a href="/docs">{app.docs}</a>
      </footer>
      {children}
    </main>
  );
}

/** Says who invites, or why people must log in, and who can register. */
function Welcome() {
  const { entrance } = useParley();
  const { account } = useTexts();
  const { door } = useWelcomeTexts();
  const registration = useStore(entrance.site)?.registration;
  const hasCode = (useStore(entrance.invitation)?.code ?? null) !== null;
  const isAtDoor = useStore(entrance.isAtDoor);
  const inviter = useStore(entrance.inviter);
  if (registration === "closed") return <p>{`${account.required} ${door.closed}`}</p>;
  if (isAtDoor && hasCode) {
    if (inviter === undefined) return <p aria-hidden="true"> </p>;
    if (inviter !== null) return <p className="lead">{door.invited(inviter)}</p>;
    return (
      <p className="lead" role="alert">
        {door.invalid} {registration === "invite" ? door.invalidInvite : door.invalidOpen}
      </p>
    );
  }
  return (
    <>
      <p>{account.required}</p>
      {registration === "invite" && <p className="hint">{door.inviteOnly}</p>}
    </>
  );
}

function Languages() {
  const parley = useParley();
  const language = useStore(parley.preferences.language);
  return Object.entries(LANGUAGES)
    .filter(([tag]) => tag !== language)
    .map(([tag, { name }]) => (
      <button
        key={tag}
        type="button"
        className="link"
        lang={tag}
        onClick={() =>
          parley.preferences.setLanguage(tag as Language).catch((error: unknown) => parley.showError(error))
        }
      >
        {name}
      </button>
    ));
}

import { useSavedTexts } from "../i18n/hooks/use-saved-texts.ts";
import { useScheduledTexts } from "../i18n/hooks/use-scheduled-texts.ts";
import { useServerEmojiTexts } from "../i18n/hooks/use-server-emoji-texts.ts";
import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { OpenDialog } from "../session/open-dialog.ts";
import { useLevel, useParley } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { THEMES } from "../state/stored-preferences.ts";

/** Buttons that open the user's windows. */
function WindowButtons({ close }: { close(): void }) {
  const parley = useParley();
  const { account: texts } = useTexts();
  const { title: scheduled } = useScheduledTexts();
  const { title: saved } = useSavedTexts();
  const { title: emoji } = useServerEmojiTexts();
  const hasEmoji = useSite()?.custom_emoji !== "off";
  const level = useLevel();
  const open = (openDialog: OpenDialog) => () => {
    close();
    parley.openDialog.set(openDialog);
  };
  return (
    <>
      <button type="button" onClick={open({ window: "profile" })}>
        {texts.profile}
      </button>
      <button type="button" onClick={open({ window: "agents" })}>
        {texts.agents}
      </button>
      <button type="button" onClick={open({ window: "saved" })}>
        {saved}
      </button>
      <button type="button" onClick={open({ window: "scheduled" })}>
        {scheduled}
      </button>
      {hasEmoji && (
        <button type="button" onClick={open({ window: "emoji" })}>
          {emoji}
        </button>
      )}
      {level > 0 && (
        <button type="button" onClick={open({ window: "admin" })}>
          {texts.administration}
        </button>
      )}
    </>
  );
}

/** Settings of the page, the user's windows, and the way out. */
export function AccountMenu({ close, isUser }: { close(): void; isUser: boolean }) {
  const parley = useParley();
  const texts = useTexts();
  const theme = useStore(parley.preferences.theme);
  const language = useStore(parley.preferences.language);
  const help = () => {
    close();
    parley.openDialog.set({ window: "shortcuts" });
  };
  const logOut = () => {
    close();
    parley.logOut().catch((error: unknown) => parley.showError(error));
  };
  return (
    <div className="menu">
      <fieldset className="choice">
        <legend>{texts.app.theme}</legend>
        {THEMES.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === theme}
            onClick={() => parley.preferences.setTheme(each)}
          >
            {texts.app.themes[each]}
          </button>
        ))}
      </fieldset>
      <fieldset className="choice">
        <legend>{texts.app.language}</legend>
        {Object.entries(LANGUAGES).map(([tag, { name }]) => (
          <button
            key={tag}
            type="button"
            lang={tag}
            aria-pressed={tag === language}
            onClick={() =>
              parley.preferences.setLanguage(tag as Language).catch((error: unknown) => parley.showError(error))
            }
          >
            {name}
          </button>
        ))}
      </fieldset>
      {isUser && <WindowButtons close={close} />}
      <button type="button" onClick={help}>
        {texts.app.shortcuts}
      </button>
      <a href="/claim">{texts.app.claim}</a>
      <a href="/docs">{texts.app.docs}</a>
      {isUser && (
        <button type="button" onClick={logOut}>
          {texts.account.logOut}
        </button>
      )}
    </div>
  );
}

import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { MenuIcon } from "../ui/icons.tsx";

/** Opens the list of channels on narrow screens. A dot marks security notices, which are shown in that list. */
export function MenuButton({ onMenu }: { onMenu(): void }) {
  const { app, security } = useTexts();
  const hasNotices = useStore(useParley().securityNotices.all).length > 0;
  const label = hasNotices ? `${app.menu} (${security.title})` : app.menu;
  return (
    <button
      type="button"
      className="icon-button only-narrow"
      aria-label={label}
      data-marked={hasNotices ? "" : undefined}
      onClick={onMenu}
    >
      <MenuIcon />
    </button>
  );
}

import { MenuIcon } from "../app/icons.tsx";
import { useTexts } from "../app/parley-context.ts";

/** Opens the list of channels where there is no room to show it always. */
export function MenuButton({ onMenu }: { onMenu(): void }) {
  const texts = useTexts();
  return (
    <button type="button" className="icon-button only-narrow" aria-label={texts.app.menu} onClick={onMenu}>
      <MenuIcon />
    </button>
  );
}

import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { MenuIcon } from "../ui/icons.tsx";

/** Opens the list of channels on narrow screens. Shows how much there is for the user; a dot marks security notices. */
export function MenuButton({ onMenu }: { onMenu(): void }) {
  const { app, calls: texts, security } = useTexts();
  const parley = useParley();
  const hasNotices = useStore(parley.securityNotices.all).length > 0;
  const { calls } = useStore(parley.calls.attention);
  const listed = useStore(parley.calls.unread);
  const hints = [
    ...(calls > 0 ? [texts.waiting(calls)] : []),
    ...(hasNotices ? [security.title] : []),
    ...(listed > 0 && calls === 0 ? [`${texts.title}: ${texts.unreadList(listed)}`] : []),
  ];
  const label = hints.length > 0 ? `${app.menu} (${hints.join(", ")})` : app.menu;
  return (
    <button
      type="button"
      className="icon-button only-narrow"
      aria-label={label}
      data-marked={(hasNotices || listed > 0) && calls === 0 ? "" : undefined}
      onClick={onMenu}
    >
      <MenuIcon />
      {calls > 0 && <span className="badge" data-count={calls > 99 ? "99+" : calls} />}
    </button>
  );
}

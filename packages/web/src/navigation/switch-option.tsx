import { useNavigationTexts } from "../i18n/hooks/use-navigation-texts.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { PresenceDot } from "../people/presence-dot.tsx";
import { LockIcon } from "../ui/icons.tsx";
import type { SwitchEntry } from "./switch-entries.ts";

interface Props {
  id: string;
  entry: SwitchEntry;
  isChosen: boolean;
  onTake(entry: SwitchEntry): void;
}

/** A choice of the switcher; the field keeps the focus. */
export function SwitchOption({ id, entry, isChosen, onTake }: Props) {
  const { switcher: texts } = useNavigationTexts();
  const { kind, name, channel } = entry;
  const unread = channel?.unread_count ?? 0;
  const isAgent = kind === "agent" || channel?.direct_with_agent != null;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field points here
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: "nearest" });
      }}
      // Keep the focus in the field until the click.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onTake(entry)}
    >
      {kind === "channel" ? (
        <span className="hash" aria-hidden="true">
          {channel?.is_private ? <LockIcon /> : "#"}
        </span>
      ) : (
        <span className="pictured">
          <Avatar name={name} isAgent={isAgent} isSmall />
          {!isAgent && <PresenceDot name={name} />}
        </span>
      )}
      <span className="label">
        <Name name={name} isAgent={isAgent} />
      </span>
      <span className="muted">
        {channel?.my_role === null ? texts.notJoined : kind === "agent" ? "" : texts.kinds[kind]}
      </span>
      {unread > 0 && (
        <span className="count">
          <span aria-hidden="true">{unread >= 100 ? "99+" : unread}</span>
          <span className="visually-hidden">{texts.unread(unread)}</span>
        </span>
      )}
    </div>
  );
}

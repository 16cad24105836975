import type { NotificationLevel } from "@parley/protocol/preferences";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { Select } from "../ui/select.tsx";

/** Which messages notify the user, everywhere; and whether this browser shows notifications, and what they say. */
export function Notifications() {
  const parley = useParley();
  const { calls: texts } = useTexts();
  const { preferences, notifier } = parley.calls;
  const { choice } = notifier;
  const access = useStore(choice.permission);
  const isOn = useStore(choice.isOn) && access === "granted";
  const showsText = useStore(choice.showsText);
  const { default: level } = useStore(preferences.notifications);
  const setLevel = (value: string) => {
    preferences
      .setNotifications({ default: value as NotificationLevel })
      .catch((error: unknown) => parley.showError(error));
  };
  return (
    <div className="stack">
      <Select
        label={texts.default}
        choices={texts.levels}
        value={level}
        onChange={(event) => setLevel(event.target.value)}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={access === "unsupported" || access === "denied"}
          onChange={() => (isOn ? choice.turnOff() : void choice.turnOn())}
        />
        <span>
          {texts.here}
          {(access === "denied" || access === "unsupported") && <span className="hint">{texts[access]}</span>}
        </span>
      </label>
      {isOn && (
        <label className="check">
          <input type="checkbox" checked={showsText} onChange={(event) => choice.setShowsText(event.target.checked)} />
          <span>{texts.showText}</span>
        </label>
      )}
    </div>
  );
}

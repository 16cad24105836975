import type { NotificationLevel } from "@parley/protocol/preferences";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MailSettings } from "../mail/mail-settings.tsx";
import { Pause } from "../notifications/pause.tsx";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { BrowserNotifications } from "./browser-notifications.tsx";
import { PushDevices } from "./push-devices.tsx";
import { NO_PUSH, QuietHours } from "./quiet-hours.tsx";

/** Which messages notify the user and when, everywhere; and whether and how this browser does it. */
export function Notifications() {
  const parley = useParley();
  const { calls: texts } = useTexts();
  const panel = usePanelTexts();
  const mail = useMailTexts();
  const { preferences } = parley.calls;
  const { default: level, push = NO_PUSH } = useStore(preferences.notifications);
  const save = (change: Parameters<typeof preferences.setNotifications>[0]) => {
    preferences.setNotifications(change).catch((error: unknown) => parley.showError(error));
  };
  return (
    <div className="stack">
      <Select
        label={texts.default}
        choices={texts.levels}
        value={level}
        onChange={(event) => save({ default: event.target.value as NotificationLevel })}
      />
      <Pause />
      <Section title={panel.browser}>
        <BrowserNotifications />
      </Section>
      <Section title={panel.devices}>
        <PushDevices />
        <label className="check">
          <input
            type="checkbox"
            checked={push.previews}
            onChange={(event) => save({ push: { previews: event.target.checked } })}
          />
          <span>
            {panel.previews}
            <span className="hint">{panel.previewsHint}</span>
          </span>
        </label>
      </Section>
      <Section title={mail.title}>
        <MailSettings />
      </Section>
      <Section title={panel.quiet}>
        <QuietHours />
      </Section>
    </div>
  );
}

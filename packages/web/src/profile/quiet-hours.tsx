import type { PushSettings } from "@parley/protocol/preferences";
import { useState } from "react";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";

const NIGHT = { quiet_from: "22:00", quiet_to: "07:00" };
/** Until the server has answered. */
export const NO_PUSH: PushSettings = { previews: false, quiet_from: null, quiet_to: null, zone: null };
const OFF = { quiet_from: null, quiet_to: null };

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The hours of each day at which nothing rings, on all of the user's devices. */
export function QuietHours() {
  const parley = useParley();
  const texts = usePanelTexts();
  const { push = NO_PUSH } = useStore(parley.calls.preferences.notifications);
  const { quiet_from: from, quiet_to: to, zone } = push;
  const isOn = from !== null && to !== null;
  const save = (change: Partial<PushSettings>) => {
    parley.calls.preferences.setNotifications({ push: change }).catch((error: unknown) => parley.showError(error));
  };
  const [zones] = useState(() => {
    const names = new Set([ownZone(), "UTC", ...Intl.supportedValuesOf("timeZone")]);
    return Object.fromEntries([...names].map((name) => [name, name.replaceAll("_", " ")]));
  });
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={() => save(isOn ? OFF : { ...NIGHT, zone: zone ?? ownZone() })}
        />
        <span>
          {texts.quietOn}
          <span className="hint">{texts.quietHint}</span>
        </span>
      </label>
      {isOn && (
        <>
          <div className="times" key={`${from} ${to}`}>
            <Time label={texts.quietFrom} value={from} onSave={(quiet_from) => save({ quiet_from })} />
            <Time label={texts.quietTo} value={to} onSave={(quiet_to) => save({ quiet_to })} />
          </div>
          <Select
            label={texts.zone}
            choices={zone === null || zone in zones ? zones : { [zone]: zone, ...zones }}
            value={zone ?? "UTC"}
            onChange={(event) => save({ zone: event.target.value })}
          />
        </>
      )}
    </>
  );
}

/** A time of day, saved when the user leaves the field: while they type, it is not the one they want. */
function Time({ label, value, onSave }: { label: string; value: string; onSave(value: string): void }) {
  return (
    <Field
      label={label}
      type="time"
      defaultValue={value}
      required
      onBlur={({ target }) => {
        if (/^\d\d:\d\d$/.test(target.value) && target.value !== value) onSave(target.value);
      }}
    />
  );
}

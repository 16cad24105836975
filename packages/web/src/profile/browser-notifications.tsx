import { useEffect, useState } from "react";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { type PushSupport, pushSupport } from "../model/calls/push.ts";
import { useParley } from "../session/parley-context.ts";
import { SOUNDS, type Sound } from "../state/notification-choice.ts";
import { useStore } from "../state/store.ts";
import { Select } from "../ui/select.tsx";

/** Whether and how this browser notifies the user. */
export function BrowserNotifications() {
  const parley = useParley();
  const { push, notifier } = parley.calls;
  const { choice } = notifier;
  const { calls: texts } = useTexts();
  const access = useStore(choice.permission);
  const isOn = useStore(choice.isOn) && access === "granted";
  const showsText = useStore(choice.showsText);
  const [support] = useState(pushSupport);
  // A page that iOS shows in a browser cannot have the permission at all.
  const isApple = support === "install";
  // One press asks for both. Where nothing can be pushed, notifications of open pages are left.
  const toggle = async () => {
    if (isOn) {
      choice.turnOff();
      await push.turnOff();
      return;
    }
    await choice.turnOn();
    if (choice.isActive && support === "available") await push.turnOn();
  };
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={access === "unsupported" || access === "denied"}
          onChange={() => void toggle().catch((error: unknown) => parley.showError(error))}
        />
        <span>
          {texts.here}
          {!isApple && (access === "denied" || access === "unsupported") && (
            <span className="hint">{texts[access]}</span>
          )}
        </span>
      </label>
      {isOn && (
        <label className="check">
          <input type="checkbox" checked={showsText} onChange={(event) => choice.setShowsText(event.target.checked)} />
          <span>{texts.showText}</span>
        </label>
      )}
      {(isOn || support !== "available") && <PushCheck support={support} />}
      <SoundChoice />
    </>
  );
}

/** Whether the browser receives notifications also while no page is open. */
function PushCheck({ support }: { support: PushSupport }) {
  const { push } = useParley().calls;
  const texts = usePanelTexts();
  const parley = useParley();
  const state = useStore(push.state);
  const problem = support === "available" ? (state === "failed" ? "failed" : null) : support;
  const toggle = () => {
    const acted = state === "on" ? push.turnOff() : push.turnOn();
    acted.catch((error: unknown) => parley.showError(error));
  };
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={state === "on" || state === "busy"}
        disabled={support !== "available" || state === "busy"}
        onChange={toggle}
      />
      <span>
        {texts.push}
        <span className="hint" role={problem === null ? undefined : "status"}>
          {problem === null ? texts.pushHint : texts.pushStates[problem]}
        </span>
      </span>
    </label>
  );
}

function SoundChoice() {
  const { choice } = useParley().calls.notifier;
  const texts = usePanelTexts();
  const sound = useStore(choice.sound);
  const [wish, setWish] = useState<Sound>("none");
  // Lets the user hear what they choose.
  useEffect(() => {
    if (wish !== "none") void import("../model/calls/sounds.ts").then(({ play }) => play(wish));
  }, [wish]);
  const set = (value: string) => {
    const chosen = SOUNDS.find((each) => each === value) ?? "none";
    choice.setSound(chosen);
    setWish(chosen);
  };
  return (
    <div className="stack">
      <Select label={texts.sound} choices={texts.sounds} value={sound} onChange={(event) => set(event.target.value)} />
      {sound !== "none" && <p className="hint">{texts.soundHint}</p>}
    </div>
  );
}

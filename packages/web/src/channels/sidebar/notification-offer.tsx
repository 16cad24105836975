import { useTexts } from "../../i18n/use-texts.ts";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";

/** Offers notifications once something waits for the user, until they decide. */
export function NotificationOffer() {
  const parley = useParley();
  const { calls: texts } = useTexts();
  const self = useSelf();
  const { choice } = parley.calls.notifier;
  const access = useStore(choice.permission);
  const isDecided = [useStore(choice.isOn), useStore(choice.isDeclined)].includes(true);
  const { calls } = useStore(parley.calls.attention);
  if (self === null || access !== "default" || isDecided || calls === 0) return null;
  const turnOn = async () => {
    await choice.turnOn();
    // One press asks for both. Where nothing can be pushed, notifications of open pages are left.
    if (choice.isActive) void parley.calls.push.turnOn();
    if (choice.permission.get() === "denied") parley.notices.say(texts.denied, "error");
  };
  return (
    <section className="offer" aria-label={texts.offerTitle}>
      <p>{texts.offer}</p>
      <div className="row">
        <button type="button" onClick={() => void turnOn()}>
          {texts.turnOn}
        </button>
        <button type="button" className="secondary" onClick={() => choice.turnOff()}>
          {texts.notNow}
        </button>
      </div>
    </section>
  );
}

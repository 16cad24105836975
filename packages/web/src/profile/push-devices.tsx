import type { PushSubscriptionRecord } from "@parley/protocol/notifications";
import { useCallback } from "react";
import { deviceOf } from "../account/devices.ts";
import { momentOf } from "../i18n/date-format.ts";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useStore } from "../state/store.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** The browsers that receive notifications while Parley is closed, with buttons that end it. */
export function PushDevices() {
  const isOn = useStore(useParley().calls.push.state) === "on";
  // The check box above adds this browser, and removes it: then the list is read again.
  return <DeviceList key={String(isOn)} />;
}

function DeviceList() {
  const parley = useParley();
  const { profile: words } = useWindowTexts();
  const texts = usePanelTexts();
  const action = useAction();
  const { push } = parley.calls;
  const { notifications } = parley.client;
  const load = useCallback(
    async () => ({ items: (await notifications.subscriptions()).subscriptions, next: null }),
    [notifications],
  );
  const list = useList<PushSubscriptionRecord>(load);
  const remove = async ({ subscription_id, is_current }: PushSubscriptionRecord) => {
    const act = () => (is_current ? push.turnOff() : notifications.unsubscribe(subscription_id));
    if (await action.run(act)) parley.notices.say(texts.removed);
    list.reload();
  };
  return (
    <>
      <ul className="lines" aria-label={texts.devices} hidden={(list.items?.length ?? 0) === 0}>
        {list.items?.map((each) => {
          const device = deviceOf(each.user_agent) ?? words.unknownDevice;
          const times = [
            words.since(momentOf(each.created_at)),
            ...(each.last_sent_at === null ? [] : [texts.lastSent(momentOf(each.last_sent_at))]),
          ];
          return (
            <li key={each.subscription_id}>
              <span>
                <bdi>{device}</bdi> {each.is_current && <span className="badge">{words.thisOne}</span>}
                <span className="muted">{times.join(" · ")}</span>
              </span>
              <button
                type="button"
                className="secondary danger"
                disabled={action.isBusy}
                aria-label={`${texts.remove}: ${device}, ${momentOf(each.created_at)}`}
                onClick={() => void remove(each)}
              >
                {texts.remove}
              </button>
            </li>
          );
        })}
      </ul>
      <ListEnd list={list} none={texts.noDevices} />
      <ErrorLine text={action.error} />
    </>
  );
}

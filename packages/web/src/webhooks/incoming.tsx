import type { IncomingWebhook } from "@parley/protocol/webhooks";
import { IncomingWebhooks } from "@parley/sdk/groups";
import { type FormEvent, useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { SecretField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useRecords } from "./use-records.ts";

/** The addresses by which other programs post into a channel. */
export function Incoming({ channelId }: { channelId: number }) {
  const parley = useParley();
  const { webhooks: texts } = useWindowTexts();
  const incomingWebhooks = parley.client.group(IncomingWebhooks);
  const load = useCallback(
    async () => (await incomingWebhooks.list(channelId)).incoming_webhooks,
    [incomingWebhooks, channelId],
  );
  const { items, action, run } = useRecords(load);
  /** The newest address, which is shown once. */
  const [address, setAddress] = useState<string | null>(null);
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = String(new FormData(form).get("name") ?? "").trim();
    if (await run(async () => setAddress((await incomingWebhooks.create(channelId, { name })).url))) form.reset();
  };
  const rotate = async ({ incoming_webhook_id: id, name }: IncomingWebhook) => {
    const question = { title: name, text: texts.newAddressSure(name), action: texts.newAddress };
    if (await parley.confirm.ask(question))
      await run(async () => setAddress((await incomingWebhooks.rotate(channelId, id)).url));
  };
  const remove = async ({ incoming_webhook_id: id, name }: IncomingWebhook) => {
    const question = { title: name, text: texts.removeSure(name), action: texts.remove };
    if (await parley.confirm.ask(question)) await run(() => incomingWebhooks.delete(channelId, id));
  };
  return (
    <Section title={texts.incoming}>
      <p className="hint">{texts.incomingHint}</p>
      {address !== null && <SecretField label={texts.address} value={address} hint={texts.addressOnce} />}
      {items?.length === 0 && <p className="hint">{texts.none}</p>}
      <ul className="cards">
        {items?.map((hook) => (
          <li key={hook.incoming_webhook_id}>
            <bdi className="name">{hook.name}</bdi>
            <Facts hook={hook} />
            <Switch
              label={texts.enabled}
              isOn={hook.enabled}
              isBusy={action.isBusy}
              onSwitch={(enabled) =>
                void run(() => incomingWebhooks.update(channelId, hook.incoming_webhook_id, { enabled }))
              }
            />
            <Switch
              label={texts.mayMention}
              isOn={hook.allow_mentions}
              isBusy={action.isBusy}
              onSwitch={(allow_mentions) =>
                void run(() => incomingWebhooks.update(channelId, hook.incoming_webhook_id, { allow_mentions }))
              }
            />
            <div className="row">
              <button
                type="button"
                className="secondary"
                disabled={action.isBusy}
                aria-label={`${texts.newAddress}: ${hook.name}`}
                onClick={() => void rotate(hook)}
              >
                {texts.newAddress}
              </button>
              <button
                type="button"
                className="secondary danger"
                disabled={action.isBusy}
                aria-label={`${texts.remove}: ${hook.name}`}
                onClick={() => void remove(hook)}
              >
                {texts.remove}
              </button>
            </div>
          </li>
        ))}
      </ul>
      <form className="stack" onSubmit={(event) => void create(event)}>
        <Field label={texts.name} name="name" maxLength={50} required autoComplete="off" />
        <ErrorLine text={action.error} />
        <button type="submit" disabled={action.isBusy}>
          {texts.create}
        </button>
      </form>
    </Section>
  );
}

function Facts({ hook }: { hook: IncomingWebhook }) {
  const { webhooks: texts } = useWindowTexts();
  const { last_used_at: used, created_by: by } = hook;
  const facts = [
    used === null ? texts.neverUsed : texts.lastUsed(momentOf(used)),
    ...(by === null ? [] : [texts.by(by)]),
  ];
  return <p className="hint">{facts.join(" · ")}</p>;
}

interface SwitchProps {
  label: string;
  isOn: boolean;
  isBusy: boolean;
  onSwitch(isOn: boolean): void;
}

function Switch({ label, isOn, isBusy, onSwitch }: SwitchProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isBusy}
        onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

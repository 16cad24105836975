import type { Webhook, WebhookDelivery } from "@parley/protocol/webhooks";
import { Webhooks } from "@parley/sdk/groups";
import { type FormEvent, useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useRecords } from "./use-records.ts";

const SHOWN = 20;

/** What was sent to a webhook, loaded when it is opened. */
export function Deliveries({ hook }: { hook: Webhook }) {
  const { webhooks: texts } = useWindowTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary aria-label={`${texts.deliveries}: ${hook.url}`}>{texts.deliveries}</summary>
      {isOpen && <List hook={hook} />}
    </details>
  );
}

function List({ hook }: { hook: Webhook }) {
  const parley = useParley();
  const { webhooks: texts } = useWindowTexts();
  const webhooks = parley.client.group(Webhooks);
  const id = hook.webhook_id;
  const load = useCallback(async () => (await webhooks.deliveries(id, { limit: SHOWN })).deliveries, [webhooks, id]);
  const { items, action, run } = useRecords<WebhookDelivery>(load);
  const replay = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const after = Number(new FormData(event.currentTarget).get("after_seq"));
    if (await run(() => webhooks.replay(id, after))) parley.notices.say(texts.replayed);
  };
  const isOff = hook.status === "disabled";
  return (
    <>
      {items?.length === 0 && <p className="hint">{texts.noDeliveries}</p>}
      <ul className="lines">
        {items?.map((delivery) => (
          <li key={delivery.delivery_id}>
            <Facts delivery={delivery} />
            {!isOff && delivery.status !== "waiting" && (
              <button
                type="button"
                className="secondary"
                disabled={action.isBusy}
                aria-label={`${texts.redeliver}: ${delivery.event} ${delivery.delivery_id}`}
                onClick={() => void run(() => webhooks.redeliver(id, delivery.delivery_id))}
              >
                {texts.redeliver}
              </button>
            )}
          </li>
        ))}
      </ul>
      <ErrorLine text={action.error} />
      <button
        type="button"
        className="secondary"
        disabled={action.isBusy}
        onClick={() => void run(() => Promise.resolve())}
      >
        {texts.refresh}
      </button>
      {hook.kind === "channel" && !isOff && (
        <form className="row end" onSubmit={(event) => void replay(event)}>
          <Field
            label={texts.replayFrom}
            hint={texts.replayHint}
            name="after_seq"
            type="number"
            min={0}
            defaultValue={0}
            required
          />
          <button type="submit" className="secondary" disabled={action.isBusy}>
            {texts.replay}
          </button>
        </form>
      )}
    </>
  );
}

function Facts({ delivery }: { delivery: WebhookDelivery }) {
  const { webhooks: texts } = useWindowTexts();
  const { event, status, tries, result, response_status, duration_ms, created_at, response_body } = delivery;
  const answered = response_status === null ? result : String(response_status);
  const facts = [
    texts.deliveryStatuses[status],
    ...(tries === 0 ? [] : [texts.tries(tries)]),
    ...(answered === null ? [] : [answered]),
    ...(duration_ms === null ? [] : [`${duration_ms} ms`]),
    momentOf(created_at),
  ];
  return (
    <span>
      <code>{event}</code> <span className="muted">{facts.join(" · ")}</span>
      {response_body !== null && response_body !== "" && (
        <details>
          <summary>{texts.answer}</summary>
          <pre className="hook-answer">{response_body}</pre>
        </details>
      )}
    </span>
  );
}

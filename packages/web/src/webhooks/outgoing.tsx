import type { Webhook } from "@parley/protocol/webhooks";
import { Webhooks } from "@parley/sdk/groups";
import { type FormEvent, useCallback, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { SecretField } from "../session/copy-field.tsx";
import type { HookOwner } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { Deliveries } from "./deliveries.tsx";
import { useRecords } from "./use-records.ts";

const GRACE_SECONDS = 3_600;
/** The events that the form offers. The list of the protocol would bring all schemas into this window. */
const CHANNEL_EVENTS = [
  "message.new",
  "message.update",
  "message.delete",
  "message.pin",
  "message.unpin",
  "reaction.update",
  "channel.update",
];
const AGENT_EVENTS = ["inbox.new", "agent.paused", "budget.exhausted"];

const refOf = (owner: HookOwner) =>
  "channel_id" in owner ? { channel_id: owner.channel_id } : { agent_id: owner.agent_id };

/** The addresses that get the events of a channel or an agent. */
export function Outgoing({ owner }: { owner: HookOwner }) {
  const parley = useParley();
  const { webhooks: texts } = useWindowTexts();
  const webhooks = parley.client.group(Webhooks);
  const load = useCallback(async () => (await webhooks.list(refOf(owner))).webhooks, [webhooks, owner]);
  const { items, action, run } = useRecords(load);
  /** The newest secret, which is shown once. */
  const [secret, setSecret] = useState<string | null>(null);
  const names = "channel_id" in owner ? CHANNEL_EVENTS : AGENT_EVENTS;
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const body = { ...refOf(owner), url: String(data.get("url")).trim(), events: data.getAll("events").map(String) };
    if (await run(async () => setSecret((await webhooks.create(body)).secret))) form.reset();
  };
  return (
    <Section title={texts.outgoing}>
      <p className="hint">{texts.outgoingHint}</p>
      {secret !== null && <SecretField label={texts.secret} value={secret} hint={texts.secretOnce} />}
      {items?.length === 0 && <p className="hint">{texts.none}</p>}
      <ul className="cards">
        {items?.map((hook) => (
          <HookCard key={hook.webhook_id} hook={hook} isBusy={action.isBusy} run={run} onSecret={setSecret} />
        ))}
      </ul>
      <form className="stack" onSubmit={(event) => void create(event)}>
        <Field label={texts.url} hint={texts.urlHint} name="url" type="url" maxLength={2_048} required />
        <fieldset className="field">
          <legend>{texts.events}</legend>
          {names.map((name, nth) => (
            <label key={name} className="check">
              <input type="checkbox" name="events" value={name} defaultChecked={nth === 0} />
              <code>{name}</code>
            </label>
          ))}
        </fieldset>
        <ErrorLine text={action.error} />
        <button type="submit" disabled={action.isBusy}>
          {texts.create}
        </button>
      </form>
    </Section>
  );
}

interface CardProps {
  hook: Webhook;
  isBusy: boolean;
  run(change: () => Promise<unknown>): Promise<boolean>;
  onSecret(secret: string): void;
}

function HookCard({ hook, isBusy, run, onSecret }: CardProps) {
  const parley = useParley();
  const { webhooks: texts } = useWindowTexts();
  const webhooks = parley.client.group(Webhooks);
  const { webhook_id: id, url, status, disabled_reason: reason, backlog, created_by: by } = hook;
  const isOff = status === "disabled";
  const facts = [
    hook.events.join(", "),
    ...(reason === null ? [] : [texts.reasons[reason]]),
    ...(backlog === 0 ? [] : [texts.waiting(backlog)]),
    ...(by === null ? [] : [texts.by(by)]),
  ];
  const test = async () => {
    if (await run(() => webhooks.test(id))) parley.notices.say(texts.tested);
  };
  const rotate = async () => {
    const question = { title: url, text: texts.newSecretSure, action: texts.newSecret };
    if (!(await parley.confirm.ask(question))) return;
    await run(async () => onSecret((await webhooks.rotateSecret(id, { grace_seconds: GRACE_SECONDS })).secret));
  };
  const remove = async () => {
    const question = { title: url, text: texts.removeSure(url), action: texts.remove };
    if (await parley.confirm.ask(question)) await run(() => webhooks.delete(id));
  };
  const button = (label: string, press: () => unknown, kind = "secondary") => (
    <button
      type="button"
      className={kind}
      disabled={isBusy}
      aria-label={`${label}: ${url}`}
      onClick={() => void press()}
    >
      {label}
    </button>
  );
  return (
    <li>
      <bdi className="name hook-url">{url}</bdi>
      <p className="hint">
        <span className={`state ${status === "active" ? "granted" : "refused"}`}>{texts.statuses[status]}</span>{" "}
        {facts.join(" · ")}
      </p>
      <div className="row">
        {isOff
          ? button(texts.turnOn, () => run(() => webhooks.update(id, { status: "active" })))
          : button(texts.turnOff, () => run(() => webhooks.update(id, { status: "disabled" })))}
        {!isOff && button(texts.test, test)}
        {button(texts.newSecret, rotate)}
        {button(texts.remove, remove, "secondary danger")}
      </div>
      <Deliveries hook={hook} />
    </li>
  );
}

import type { ScheduledMessage } from "@parley/protocol/scheduled";
import { ParleyError, type RealtimeEvent } from "@parley/sdk";
import { type FormEvent, useCallback, useContext, useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { loadErrorTexts } from "../i18n/error-texts.ts";
import { useScheduledTexts } from "../i18n/hooks/use-scheduled-texts.ts";
import { LanguageContext, useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useReload } from "../session/use-reload.ts";
import { channelHref } from "../state/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { fieldValueOf } from "../ui/later-times.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** The user's messages that wait to be sent, and those that could not be. */
export function ScheduledWindow({ onClose }: { onClose(): void }) {
  const texts = useScheduledTexts();
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <ScheduledList status="waiting" none={texts.none} onClose={onClose} />
      <ScheduledList status="failed" onClose={onClose} />
    </Dialog>
  );
}

interface ListProps {
  status: "waiting" | "failed";
  /** What is shown for an empty list; without it an empty list is not shown. */
  none?: string;
  onClose(): void;
}

const isChange = ({ event }: RealtimeEvent): boolean => event === "scheduled:update";

function ScheduledList({ status, none, onClose }: ListProps) {
  const parley = useParley();
  const texts = useScheduledTexts();
  const { scheduled } = parley.client;
  const load = useCallback(
    async (offset: number | undefined) => {
      const page = await scheduled.list({ status, offset });
      return { items: page.scheduled, next: page.next_offset };
    },
    [scheduled, status],
  );
  const list = useList<ScheduledMessage>(load);
  const { reload } = list;
  useReload(reload, isChange);
  if (none === undefined && (list.items === null || list.items.length === 0)) return null;
  const title = status === "failed" ? texts.failedTitle : texts.title;
  return (
    <section className="stack" aria-label={title}>
      {status === "failed" && <h3>{title}</h3>}
      <ul className="lines scheduled">
        {list.items?.map((message) => (
          <Line key={message.scheduled_id} message={message} onClose={onClose} />
        ))}
      </ul>
      <ListEnd list={list} none={none ?? ""} />
    </section>
  );
}

function Line({ message, onClose }: { message: ScheduledMessage; onClose(): void }) {
  const { client } = useParley();
  const texts = useScheduledTexts();
  const action = useAction();
  const [isChanging, setChanging] = useState(false);
  const { scheduled_id: id, channel_slug: slug, content, send_at, file_ids } = message;
  if (isChanging) return <ChangeForm message={message} onDone={() => setChanging(false)} />;
  return (
    <li>
      <span>
        <span className="excerpt" dir="auto">
          {content === "" ? texts.files(file_ids.length) : content}
        </span>
        <span className="muted">
          <time dateTime={send_at}>{momentOf(send_at)}</time>{" "}
          {slug === null ? (
            texts.goneChannel
          ) : (
            <a href={channelHref(slug)} onClick={onClose}>
              {texts.in(`#${slug}`)}
            </a>
          )}
        </span>
        {message.failure !== null && <Failure code={message.failure} />}
        <ErrorLine text={action.error} />
      </span>
      {message.status === "waiting" && (
        <span className="acts">
          <button
            type="button"
            className="secondary"
            aria-label={`${texts.change}: ${content}`}
            onClick={() => setChanging(true)}
          >
            {texts.change}
          </button>
          <button
            type="button"
            className="secondary"
            aria-label={`${texts.cancel}: ${content}`}
            disabled={action.isBusy}
            onClick={() => void action.run(() => client.scheduled.cancel(id))}
          >
            {texts.cancel}
          </button>
        </span>
      )}
    </li>
  );
}

/** Why a message could not be sent, in words. */
function Failure({ code }: { code: string }) {
  const texts = useScheduledTexts();
  const { errorMessage } = useTexts();
  const language = useContext(LanguageContext);
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => void loadErrorTexts(language).then(() => setLoaded(true)), [language]);
  if (code === "missed") return <span className="error">{texts.missed}</span>;
  if (!isLoaded) return null;
  // The error that the send had; its code alone was kept.
  const refusal = new ParleyError(code as ParleyError["code"], texts.failed, { status: 403, retryable: false });
  return <span className="error">{errorMessage(refusal)}</span>;
}

function ChangeForm({ message, onDone }: { message: ScheduledMessage; onDone(): void }) {
  const { client } = useParley();
  const texts = useScheduledTexts();
  const action = useAction();
  const { scheduled_id: id, content, send_at, file_ids } = message;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const sendAt = Date.parse(formValue(form, "time"));
    const body = { content: formValue(form, "content"), send_at: new Date(sendAt).toISOString() };
    if (await action.run(() => client.scheduled.change(id, body))) onDone();
  };
  return (
    <li>
      <form className="stack" onSubmit={submit}>
        <TextArea
          label={texts.message}
          name="content"
          dir="auto"
          defaultValue={content}
          required={file_ids.length === 0}
        />
        <Field
          label={texts.at}
          type="datetime-local"
          name="time"
          defaultValue={fieldValueOf(Date.parse(send_at))}
          required
        />
        <Submit action={action}>{texts.save}</Submit>
        <button type="button" className="secondary" onClick={onDone}>
          {texts.keep}
        </button>
      </form>
    </li>
  );
}

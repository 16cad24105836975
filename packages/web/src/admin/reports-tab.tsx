import type { Report } from "@parley/protocol/moderation";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { senderInText } from "../model/sender.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { messageHref } from "../state/route.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Reports from users, to be resolved or dismissed. */
export function ReportsTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [status, setStatus] = useState<Report["status"]>("open");
  const { admin } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const { reports, next_before } = await admin.reports({ status, before });
      return { items: reports, next: next_before };
    },
    [admin, status],
  );
  const list = useList<Report>(load);
  return (
    <>
      <Select
        label={texts.show}
        choices={texts.reportStatuses}
        value={status}
        onChange={(event) => setStatus(event.target.value as Report["status"])}
      />
      <ul className="cards">
        {list.items?.map((report) => (
          <ReportCard
            key={report.report_id}
            report={report}
            onChanged={(changed) => list.replace(({ report_id }) => report_id === changed.report_id, changed)}
          />
        ))}
      </ul>
      <ListEnd list={list} none={texts.noReports} />
    </>
  );
}

function ReportCard({ report, onChanged }: { report: Report; onChanged(report: Report): void }) {
  const parley = useParley();
  const { messages } = useTexts();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const [note, setNote] = useState("");
  const { chat_message: message } = report;
  const close = (status: "resolved" | "dismissed") =>
    action.run(async () => {
      const body = { status, note: note.trim() || null };
      onChanged((await parley.client.admin.closeReport(report.report_id, body)).report);
    });
  const remove = async () => {
    const name = senderInText(message);
    const question = { title: name, text: texts.deleteMessageSure(name), action: texts.deleteMessage };
    if (!(await parley.confirm.ask(question))) return;
    const isDone = await action.run(async () => {
      await parley.client.messages.delete(message.id);
      onChanged({ ...report, chat_message: { ...message, is_deleted: true, content: "" } });
    });
    if (isDone) parley.notices.say(texts.messageDeleted);
  };
  const href = messageHref(message);
  return (
    <li className="card">
      <p className="hint">
        {texts.reportedBy(report.reporter_username, momentOf(report.created_at))} ·{" "}
        <a href={href} onClick={() => parley.openDialog.set(null)}>
          {texts.look}
        </a>
      </p>
      <p>
        <strong>{report.reason}</strong>
      </p>
      <blockquote dir="auto">
        <bdi className="name">{senderInText(message)}</bdi>{" "}
        {message.is_deleted ? <em>{messages.deleted}</em> : message.content || message.sticker?.sticker_name || "…"}
      </blockquote>
      {report.status === "open" ? (
        <div className="row">
          <input
            className="note"
            aria-label={texts.note}
            placeholder={texts.note}
            maxLength={1_000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <button type="button" disabled={action.isBusy} onClick={() => void close("resolved")}>
            {texts.resolve}
          </button>
          <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void close("dismissed")}>
            {texts.dismiss}
          </button>
          {!message.is_deleted && (
            <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void remove()}>
              {texts.deleteMessage}
            </button>
          )}
        </div>
      ) : (
        <p className="hint">
          {texts.reportStatuses[report.status]}: {report.handled_by} {report.note !== null && `· ${report.note}`}
        </p>
      )}
      <ErrorLine text={action.error} />
    </li>
  );
}

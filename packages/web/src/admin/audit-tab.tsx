import type { AuditRecord } from "@parley/protocol/administration";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { WindowTexts } from "../i18n/texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { SearchField } from "./search-field.tsx";

/** The actor of acts at the command line. No user can have this name, because it contains a space. */
const COMMAND_LINE = "command line";

/** The audit log, newest first. */
export function AuditTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [actor, setActor] = useState("");
  const [action, setAction] = useState("");
  const { admin } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const filter = { actor: actor || undefined, action: action || undefined, before };
      const { entries, next_before } = await admin.audit(filter);
      return { items: entries, next: next_before };
    },
    [admin, actor, action],
  );
  const list = useList<AuditRecord>(load);
  return (
    <>
      <div className="filters">
        <SearchField label={texts.actor} value={actor} onValue={setActor} />
        <Select
          label={texts.action}
          choices={{ "": texts.anything, ...texts.actions }}
          value={action}
          onChange={(event) => setAction(event.target.value)}
        />
      </div>
      <ul className="lines audit" aria-label={texts.tabs.audit}>
        {list.items?.map((entry) => (
          <Entry key={entry.audit_id} entry={entry} />
        ))}
      </ul>
      <ListEnd list={list} none={texts.noAudit} />
    </>
  );
}

function Entry({ entry }: { entry: AuditRecord }) {
  const { admin: texts } = useWindowTexts();
  const { actor, action, subject, subject_name, details, created_at } = entry;
  const actions: Readonly<Record<string, string>> = texts.actions;
  return (
    <li>
      <span>
        <bdi className="name">{actor === COMMAND_LINE ? texts.commandLine : actor}</bdi> {actions[action] ?? action}{" "}
        <bdi className="name">{subject_name ?? idOf(subject)}</bdi>
        {details !== null && <span className="muted details">{detailsOf(details, texts.auditDetails)}</span>}
      </span>
      <time className="muted" dateTime={created_at}>
        {momentOf(created_at)}
      </time>
    </li>
  );
}

/** The id of `message:12`, whose kind the words of the act name. Of what there is once, nothing. */
function idOf(subject: string): string {
  const [kind = "", id = ""] = subject.split(/:(.*)/s);
  return kind === "site" || kind === "payouts" ? "" : id;
}

/** `level: 1 · price, amount: 5`, in words: names of fields are for programs. */
function detailsOf(details: object, words: WindowTexts["admin"]["auditDetails"], within = ""): string {
  const named = (name: string) => words.names[name] ?? name.replaceAll("_", " ");
  const said = (value: unknown): string =>
    typeof value === "boolean" ? (value ? words.yes : words.no) : String(value ?? "–").replaceAll("_", " ");
  const lines = Object.entries(details).map(([name, value]) => {
    const label = `${within}${named(name)}`;
    if (Array.isArray(value))
      return `${label}: ${value.map((each) => (name === "fields" ? named(each) : said(each))).join(", ")}`;
    return typeof value === "object" && value !== null
      ? detailsOf(value, words, `${label}, `)
      : `${label}: ${said(value)}`;
  });
  return lines.join(" · ");
}

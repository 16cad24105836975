import type { AuditRecord } from "@parley/protocol/administration";
import { useCallback, useState } from "react";
import { Field } from "../app/field.tsx";
import { ListEnd } from "../app/list-end.tsx";
import { useParley } from "../app/parley-context.ts";
import { useList } from "../app/use-list.ts";
import { momentOf } from "../messages/times.ts";
import { useWindowTexts } from "../texts/window-texts.ts";

/** Who did what to whom, the newest first. */
export function AuditTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [actor, setActor] = useState("");
  const { admin } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const { entries, next_before } = await admin.audit({ actor: actor === "" ? undefined : actor, before });
      return { items: entries, next: next_before };
    },
    [admin, actor],
  );
  const list = useList<AuditRecord>(load);
  return (
    <>
      <Field
        label={texts.actor}
        type="search"
        autoComplete="off"
        value={actor}
        onChange={(event) => setActor(event.target.value.trim())}
      />
      <ul className="lines">
        {list.items?.map(({ audit_id, actor: who, action, subject, subject_name, details, created_at }) => (
          <li key={audit_id}>
            <span>
              <bdi className="name">{who}</bdi> <code>{action}</code> <bdi>{subject_name ?? subject}</bdi>
              {details !== null && <span className="soft details">{JSON.stringify(details)}</span>}
            </span>
            <time className="soft" dateTime={created_at}>
              {momentOf(created_at)}
            </time>
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noAudit} />
    </>
  );
}

import { IMPORT_KINDS } from "@parley/protocol/import-limits";
import type { ImportCounts, ImportLeftOut, ImportRecord, ImportTally, UnclaimedPerson } from "@parley/protocol/imports";
import { Imports } from "@parley/sdk/groups";
import { useCallback, useEffect, useRef, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useImportTexts } from "../i18n/hooks/use-import-texts.ts";
import { grouped } from "../i18n/locale.ts";
import { Name } from "../people/avatar.tsx";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";

const ALL = "";
const EVERY_MS = 5_000;

/** The imports with their counts and progress, and the people who have not claimed their accounts yet. */
export function ImportsTab() {
  const parley = useParley();
  const texts = useImportTexts();
  const [imports, setImports] = useState<readonly ImportRecord[]>([]);
  const [chosen, setChosen] = useState(ALL);
  const load = useCallback(
    async (offset: number | undefined) => {
      const import_id = chosen === ALL ? undefined : Number(chosen);
      const page = await parley.client.group(Imports).list({ import_id, offset });
      setImports(page.imports);
      return { items: page.unclaimed, next: page.next_offset };
    },
    [parley, chosen],
  );
  const list = useList<UnclaimedPerson>(load);
  useProgress(imports.some(isRunning), list.reload);
  if (imports.length === 0) return <ListEnd list={list} none={texts.none} />;
  return (
    <>
      <ul className="user-rows">
        {imports.map((record) => (
          <ImportRow key={record.import_id} record={record} />
        ))}
      </ul>
      <Section title={texts.waiting}>
        <p className="hint">{texts.linkHint}</p>
        {imports.length > 1 && (
          <Select
            label={texts.whose}
            choices={Object.fromEntries([
              [ALL, texts.all],
              ...imports.map((record) => [String(record.import_id), nameOf(record)] as const),
            ])}
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          />
        )}
        <ul className="user-rows">
          {list.items?.map((person) => (
            <PersonRow key={person.username} person={person} />
          ))}
        </ul>
        <ListEnd list={list} none={texts.everybody} />
      </Section>
    </>
  );
}

const isRunning = ({ status }: ImportRecord): boolean => status === "writing" || status === "undoing";

/** Reads the list again from time to time while an import is running. */
function useProgress(isRunning: boolean, reload: () => void): void {
  const read = useRef(reload);
  read.current = reload;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => read.current(), EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
}

/** Two imports of one workspace differ by their numbers. */
const nameOf = ({ import_id, workspace }: ImportRecord): string => `${workspace} (${import_id})`;

/** Returns the name of the other chat. */
const chatOf = (format: string): string =>
  format === "rocketchat" ? "Rocket.Chat" : format.slice(0, 1).toUpperCase() + format.slice(1);

function ImportRow({ record }: { record: ImportRecord }) {
  const texts = useImportTexts();
  const { format, status, progress, claimed, unclaimed, created_at, opened_at, undone_at } = record;
  const times = [
    texts.began(momentOf(created_at)),
    ...(opened_at === null ? [] : [texts.opened(momentOf(opened_at))]),
    ...(undone_at === null ? [] : [texts.wasUndone(momentOf(undone_at))]),
  ];
  return (
    <li className="card">
      <p>
        <strong>{nameOf(record)}</strong> <span className="badge">{texts.statuses[status]}</span>
        <span className="muted"> {[chatOf(format), ...times].join(" · ")}</span>
      </p>
      {status === "writing" && <p>{texts.progress(Math.floor(progress * 100))}</p>}
      <Counts counts={record.counts} label={texts.countsOf(record.workspace)} />
      <LeftOut items={record.left_out} />
      {claimed + unclaimed > 0 && <p>{texts.people(claimed, claimed + unclaimed)}</p>}
    </li>
  );
}

const TALLIES = ["taken", "known", "changed", "left_out"] as const satisfies readonly (keyof ImportTally)[];

/** Lists the counts of an import by kind. Counts of 0 are left out. */
function Counts({ counts, label }: { counts: ImportCounts; label: string }) {
  const texts = useImportTexts();
  const lines = IMPORT_KINDS.map((kind) => {
    const tallies = TALLIES.filter((each) => counts[kind][each] > 0);
    const words = tallies.map((each) => texts.tallies[each](grouped(counts[kind][each])));
    return { kind, text: words.join(" · ") };
  }).filter(({ text }) => text !== "");
  if (lines.length === 0) return null;
  return (
    <ul className="facts" aria-label={label}>
      {lines.map(({ kind, text }) => (
        <li key={kind}>
          {texts.kinds[kind]}: {text}
        </li>
      ))}
    </ul>
  );
}

/** Says what an import left out and why, with some ids of the other chat. */
function LeftOut({ items }: { items: readonly ImportLeftOut[] }) {
  const texts = useImportTexts();
  if (items.length === 0) return null;
  return (
    <details>
      <summary>{texts.leftOut(grouped(items.reduce((sum, { count }) => sum + count, 0)))}</summary>
      <ul className="facts">
        {items.map(({ kind, reason, count, examples }) => (
          <li key={`${kind} ${reason}`}>
            {texts.leftOutKinds[kind] ?? kind}: {grouped(count)} <code>{reason}</code>
            {examples.length > 0 && <span className="muted"> {texts.examples(examples.join(", "))}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function PersonRow({ person }: { person: UnclaimedPerson }) {
  const texts = useImportTexts();
  const { username, email, suspended, link_expires_at: end } = person;
  const facts = [...(email === null ? [] : [email]), end === null ? texts.noLink : texts.linkUntil(momentOf(end))];
  return (
    <li className="card">
      <p>
        <Name name={username} /> <span className="muted">{facts.join(" · ")}</span>
        {suspended && <span className="danger-text"> {texts.suspended}</span>}
      </p>
    </li>
  );
}

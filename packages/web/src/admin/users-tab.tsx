import type { AdministerUserBody, AdminUser } from "@parley/protocol/administration";
import { USERNAME_MAX } from "@parley/protocol/limits";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { Name } from "../people/avatar.tsx";
import { useLevel, useParley, useSelf } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { RemoveFactorsDialog } from "./remove-factors-dialog.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";
import { SearchField } from "./search-field.tsx";

/** Only owners assign levels; everyone can act only on users of a lower level. */
const OWNER = 3;
const DAY_MS = 86_400_000;
/** Durations of a suspension, in days. */
const TERMS = { "1": 1, "7": 7, "30": 30, "3650": 3_650 } as const;

/** Filters of the list. */
const FILTERS = { all: {}, suspended: { suspended: true }, staff: { admin: true } } as const;
type Who = keyof typeof FILTERS;

/** The users of the site: suspends them or assigns levels. */
export function UsersTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [prefix, setPrefix] = useState("");
  const [who, setWho] = useState<Who>("all");
  const { admin } = parley.client;
  const load = useCallback(
    async (offset: number | undefined) => {
      const { users, next_offset } = await admin.users({ ...FILTERS[who], prefix: prefix || undefined, offset });
      return { items: users, next: next_offset };
    },
    [admin, prefix, who],
  );
  const list = useList<AdminUser>(load);
  return (
    <>
      <div className="filters">
        <SearchField label={texts.search} value={prefix} maxLength={USERNAME_MAX} onValue={setPrefix} />
        <Select
          label={texts.show}
          choices={{ all: texts.allUsers, suspended: texts.suspended, staff: texts.staff }}
          value={who}
          onChange={(event) => setWho(event.target.value as Who)}
        />
      </div>
      <ul className="user-rows">
        {list.items?.map((user) => (
          <UserCard
            key={user.username}
            user={user}
            onChanged={(changed) => list.replace(({ username }) => username === changed.username, changed)}
          />
        ))}
      </ul>
      <ListEnd list={list} none={texts.noUsers} />
    </>
  );
}

function UserCard({ user, onChanged }: { user: AdminUser; onChanged(user: AdminUser): void }) {
  const parley = useParley();
  const self = useSelf();
  const level = useLevel();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const [isResetOpen, setResetOpen] = useState(false);
  const [isFactorsOpen, setFactorsOpen] = useState(false);
  const factors = useFactorTexts();
  const { username, admin_level, suspended_until } = user;
  const set = (body: AdministerUserBody) =>
    action.run(async () => onChanged((await parley.client.admin.updateUser(username, body)).user));
  const setLevel = async (chosen: string) => {
    const name = (of: string) => texts.levels[of as keyof typeof texts.levels];
    const text = texts.levelSure(username, name(String(admin_level ?? 0)), name(chosen));
    const question = { title: texts.levelOf(username), text, action: texts.levelAct(name(chosen)) };
    if (await parley.confirm.ask(question)) await set({ admin_level: Number(chosen) || null });
  };
  const suspend = async (days: string) => {
    const term = TERMS[days as keyof typeof TERMS];
    if (term === undefined) return;
    const length = texts.terms[days as keyof typeof TERMS];
    const [text, action] = [texts.suspendSure(username, length), texts.suspendAct(username, length)];
    if (!(await parley.confirm.ask({ title: username, text, action }))) return;
    await set({ suspended_until: new Date(Date.now() + term * DAY_MS).toISOString() });
  };
  const isSuspended = suspended_until !== null && Date.parse(suspended_until) > Date.now();
  return (
    <li className="card user-row">
      <p>
        <Name name={username} /> {user.is_online && <span className="badge">{texts.online}</span>}
        <span className="muted">
          {" "}
          {[user.email ?? "", texts.since(momentOf(user.created_at))].filter(Boolean).join(" · ")}
        </span>
      </p>
      {isSuspended && <p className="danger-text">{texts.suspendedUntil(momentOf(suspended_until))}</p>}
      {username === self || (admin_level ?? 0) >= level ? (
        <p className="hint">{texts.levels[String(admin_level ?? 0) as "0"]}</p>
      ) : (
        <div className="pair">
          {level >= OWNER ? (
            <Select
              label={texts.levelOf(username)}
              choices={{ "0": texts.levels["0"], "1": texts.levels["1"], "2": texts.levels["2"] }}
              value={String(admin_level ?? 0)}
              disabled={action.isBusy}
              onChange={(event) => void setLevel(event.target.value)}
            />
          ) : (
            <p className="hint">{texts.levels[String(admin_level ?? 0) as "0"]}</p>
          )}
          {isSuspended ? (
            <button
              type="button"
              className="secondary low"
              disabled={action.isBusy}
              onClick={() => void set({ suspended_until: null })}
            >
              {texts.lift}
            </button>
          ) : (
            <Select
              label={texts.suspend(username)}
              choices={{ "": texts.notSuspended, ...texts.terms }}
              value=""
              disabled={action.isBusy}
              onChange={(event) => void suspend(event.target.value)}
            />
          )}
          <button
            type="button"
            className="secondary low"
            aria-label={`${texts.resetLink}: ${username}`}
            onClick={() => setResetOpen(true)}
          >
            {texts.resetLink}
          </button>
          <button
            type="button"
            className="secondary low"
            aria-label={`${factors.adminRemove}: ${username}`}
            onClick={() => setFactorsOpen(true)}
          >
            {factors.adminRemove}
          </button>
        </div>
      )}
      <ErrorLine text={action.error} />
      {isFactorsOpen && <RemoveFactorsDialog username={username} onClose={() => setFactorsOpen(false)} />}
      {isResetOpen && <ResetLinkDialog username={username} onClose={() => setResetOpen(false)} />}
    </li>
  );
}

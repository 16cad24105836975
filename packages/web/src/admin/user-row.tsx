import type { AdministerUserBody, AdminUser } from "@parley/protocol/administration";
import { useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { Name } from "../people/avatar.tsx";
import { useLevel, useParley, useSelf } from "../session/parley-context.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { RemoveFactorsDialog } from "./remove-factors-dialog.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";
import { type Term, UserMenu } from "./user-menu.tsx";

const DAY_MS = 86_400_000;

interface Props {
  user: AdminUser;
  onChanged(user: AdminUser): void;
}

/** A user in one line, with a menu of the acts that the caller's level allows: those on users of a lower level. */
export function UserRow({ user, onChanged }: Props) {
  const self = useSelf();
  const level = useLevel();
  const { admin: texts } = useWindowTexts();
  const acts = useActs({ user, onChanged });
  const [dialog, setDialog] = useState<"reset" | "factors" | null>(null);
  const { username, admin_level, suspended_until } = user;
  const isSuspended = suspended_until !== null && Date.parse(suspended_until) > Date.now();
  const since = [user.email ?? "", texts.since(momentOf(user.created_at))].filter(Boolean).join(" · ");
  return (
    <li className="card user-row">
      <p>
        <Name name={username} /> {user.is_online && <span className="badge">{texts.online}</span>}{" "}
        {admin_level !== null && admin_level > 0 && (
          <span className="badge">{texts.levels[String(admin_level) as "1"]}</span>
        )}
        <span className="muted"> {since}</span>
        {isSuspended && <span className="danger-text"> {texts.suspendedUntil(momentOf(suspended_until))}</span>}
      </p>
      {username !== self && (admin_level ?? 0) < level && (
        <Popover label={texts.manage(username)} button={<MoreIcon />}>
          {(close) => (
            <UserMenu
              user={user}
              isSuspended={isSuspended}
              onDialog={(opened) => {
                close();
                setDialog(opened);
              }}
              {...acts}
            />
          )}
        </Popover>
      )}
      <ErrorLine text={acts.error} />
      {dialog === "factors" && <RemoveFactorsDialog username={username} onClose={() => setDialog(null)} />}
      {dialog === "reset" && <ResetLinkDialog username={username} onClose={() => setDialog(null)} />}
    </li>
  );
}

/** Changes the user's level and suspension, after a question where it takes something from them. */
function useActs({ user, onChanged }: Props) {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const { username, admin_level } = user;
  const set = (body: AdministerUserBody) =>
    action.run(async () => onChanged((await parley.client.admin.updateUser(username, body)).user));
  const onLevel = async (chosen: string) => {
    const name = (of: string) => texts.levels[of as keyof typeof texts.levels];
    const text = texts.levelSure(username, name(String(admin_level ?? 0)), name(chosen));
    const question = { title: texts.levelOf(username), text, action: texts.levelAct(name(chosen)) };
    if (await parley.confirm.ask(question)) await set({ admin_level: Number(chosen) || null });
  };
  const onSuspend = async (days: Term) => {
    const length = texts.terms[days];
    const [text, action] = [texts.suspendSure(username, length), texts.suspendAct(username, length)];
    if (!(await parley.confirm.ask({ title: username, text, action }))) return;
    await set({ suspended_until: new Date(Date.now() + Number(days) * DAY_MS).toISOString() });
  };
  const onLift = () => set({ suspended_until: null });
  return { isBusy: action.isBusy, error: action.error, onLevel, onSuspend, onLift };
}

import type { HonorResponse, PointsEntry } from "@parley/protocol/points";
import { useCallback, useEffect, useState } from "react";
import { usePoints } from "../account/use-points.ts";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { grouped } from "../i18n/locale.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import type { OwnUser } from "./own-user.ts";

const PAGE = 10;

/** The user's progress to the next level, and the activity behind it. */
export function Progress({ user }: { user: OwnUser }) {
  const parley = useParley();
  const { profile: texts, packets } = useWindowTexts();
  const points = usePoints(user.username);
  const [honor, setHonor] = useState<HonorResponse | null>(null);
  useEffect(() => {
    parley.client.accounts.honor(user.username).then(setHonor, (error: unknown) => parley.showError(error));
  }, [parley, user.username]);
  if (honor === null) return null;
  const heldUntil = points?.on_hold_until ?? null;
  const { total_points, level_points, next_level_points } = honor;
  const label =
    next_level_points === null ? texts.highest(total_points) : texts.progress(total_points, next_level_points);
  return (
    <div className="progress">
      <p className="level">
        <strong>{texts.level(honor.honor_level)}</strong>
        <span>
          <strong>{texts.spendable(user.points)}</strong> {heldUntil === null && texts.spendableHint}
        </span>
      </p>
      {points !== null && heldUntil !== null && (
        <p className="hint">{packets.amountOnHold(points.available, points.points, momentOf(heldUntil))}</p>
      )}
      <progress
        aria-label={label}
        max={next_level_points === null ? 1 : next_level_points - level_points}
        value={next_level_points === null ? 1 : total_points - level_points}
      />
      <p className="hint">{label}</p>
      <p className="hint">
        {[
          texts.messages(honor.message_count),
          texts.hours(Math.round(honor.online_hours * 10) / 10),
          texts.invited(honor.invite_count),
        ].join(" · ")}
      </p>
    </div>
  );
}

/** All changes of the user's points, newest first. */
export function PointsHistory({ user }: { user: OwnUser }) {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const load = useCallback(
    async (before: number | undefined) => {
      const page = await parley.client.accounts.points(user.username, { limit: PAGE, before });
      return { items: page.entries, next: page.next_before };
    },
    [parley, user.username],
  );
  const list = useList<PointsEntry>(load);
  const kinds: Record<string, string | undefined> = texts.kinds;
  return (
    <details>
      <summary>{texts.history}</summary>
      <ul className="lines">
        {list.items?.map(({ entry_id, kind, amount, balance, created_at }) => (
          <li key={entry_id}>
            <span>
              {kinds[kind] ?? kind}
              <time className="muted" dateTime={created_at}>
                {momentOf(created_at)}
              </time>
            </span>
            <span className="amount">
              <strong className={amount < 0 ? "less" : "plus"}>
                {amount < 0 ? grouped(amount) : `+${grouped(amount)}`}
              </strong>
              <span className="muted">{texts.balance(balance)}</span>
            </span>
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noHistory} />
    </details>
  );
}

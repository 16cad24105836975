import type { AdminUser } from "@parley/protocol/administration";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useLevel } from "../session/parley-context.ts";
import { Select } from "../ui/select.tsx";

/** Only owners assign levels. */
const OWNER = 3;
/** Durations of a suspension, in days. */
const TERMS = ["1", "7", "30", "3650"] as const;
export type Term = (typeof TERMS)[number];
const isTerm = (value: string): value is Term => (TERMS as readonly string[]).includes(value);

interface Props {
  user: AdminUser;
  isSuspended: boolean;
  isBusy: boolean;
  onLevel(level: string): Promise<void>;
  onSuspend(days: Term): Promise<void>;
  onLift(): Promise<unknown>;
  onDialog(dialog: "reset" | "factors"): void;
}

/** The acts on a user. */
export function UserMenu({ user, isSuspended, isBusy, onLevel, onSuspend, onLift, onDialog }: Props) {
  const level = useLevel();
  const { admin: texts } = useWindowTexts();
  const factors = useFactorTexts();
  const { username, admin_level } = user;
  return (
    <div className="user-menu">
      {level >= OWNER && (
        <Select
          label={texts.levelOf(username)}
          choices={{ "0": texts.levels["0"], "1": texts.levels["1"], "2": texts.levels["2"] }}
          value={String(admin_level ?? 0)}
          disabled={isBusy}
          onChange={(event) => void onLevel(event.target.value)}
        />
      )}
      {isSuspended ? (
        <button type="button" className="secondary low" disabled={isBusy} onClick={() => void onLift()}>
          {texts.lift}
        </button>
      ) : (
        <Select
          label={texts.suspend(username)}
          choices={{ "": texts.notSuspended, ...texts.terms }}
          value=""
          disabled={isBusy}
          onChange={(event) => isTerm(event.target.value) && void onSuspend(event.target.value)}
        />
      )}
      <button type="button" className="secondary low" onClick={() => onDialog("reset")}>
        {texts.resetLink}
      </button>
      <button type="button" className="secondary low" onClick={() => onDialog("factors")}>
        {factors.adminRemove}
      </button>
    </div>
  );
}

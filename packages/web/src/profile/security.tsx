import type { SecurityNotice } from "@parley/protocol/accounts";
import { useCallback } from "react";
import { SecurityNoticeLine } from "../account/security-notice-line.tsx";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { Name } from "../people/avatar.tsx";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useStore } from "../state/store.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

const PAGE = 10;

/** All security notices of the account, dismissed or not. */
export function SecurityHistory() {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const load = useCallback(
    async (before: number | undefined) => {
      const page = await parley.client.accounts.securityNotices({ include_dismissed: true, limit: PAGE, before });
      return { items: page.notices, next: page.next_before };
    },
    [parley],
  );
  const list = useList<SecurityNotice>(load);
  return (
    <details>
      <summary>{texts.security}</summary>
      <ul className="lines">
        {list.items?.map((notice) => (
          <li key={notice.notice_id}>
            <SecurityNoticeLine notice={notice} />
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noSecurity} />
    </details>
  );
}

/** The users and agents the user has blocked, with buttons to unblock them. */
export function BlockList() {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const action = useAction();
  const blocked = useStore(parley.blocks.all);
  return (
    <>
      {blocked.length === 0 && <p className="hint">{texts.noBlocked}</p>}
      <ul className="lines" aria-label={texts.blocked}>
        {blocked.map(({ kind, name }) => (
          <li key={`${kind} ${name}`}>
            <span>
              <Name name={name} isAgent={kind === "agent"} />
            </span>
            <button
              type="button"
              className="secondary"
              disabled={action.isBusy}
              aria-label={`${texts.unblock}: ${name}`}
              onClick={() => void action.run(() => parley.blocks.set({ kind, name }, false))}
            >
              {texts.unblock}
            </button>
          </li>
        ))}
      </ul>
      <ErrorLine text={action.error} />
    </>
  );
}

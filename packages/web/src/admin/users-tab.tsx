import type { AdminUser } from "@parley/protocol/administration";
import { USERNAME_MAX } from "@parley/protocol/limits";
import { useCallback, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { SearchField } from "./search-field.tsx";
import { UserRow } from "./user-row.tsx";

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
          <UserRow
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

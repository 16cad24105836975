import type { FindUsersResponse } from "@parley/protocol/accounts";
import { useEffect, useRef, useState } from "react";
import { useParley, useSelf } from "../session/parley-context.ts";
import type { Known } from "./switch-entries.ts";

/** Look-ups wait until the user stops typing for this long. */
const PAUSE_MS = 200;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} _.,'’·・-]{0,47}$/u;

const known = ({ username, display_name }: FindUsersResponse["users"][number]): Known => ({
  kind: "user",
  name: username,
  shown: display_name,
});

/** Looks up users whose usernames or display names begin with what is typed, each text once; returns all found so far. */
export function useFoundUsers(typed: string): readonly Known[] {
  const parley = useParley();
  const self = useSelf();
  const [found, setFound] = useState<readonly Known[]>([]);
  const asked = useRef(new Set<string>());
  const prefix = typed.replace(/^@/, "").trim().toLowerCase();
  useEffect(() => {
    if (self === null || !NAME.test(prefix) || asked.current.has(prefix)) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      parley.client.accounts.find(prefix, { signal: abort.signal }).then(
        ({ users }) => {
          asked.current.add(prefix);
          setFound((all) => [...all, ...users.map(known)]);
        },
        (error: unknown) => abort.signal.aborted || parley.showError(error),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [parley, self, prefix]);
  return found;
}

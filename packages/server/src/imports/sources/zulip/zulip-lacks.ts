import type { Layout } from "./layout.ts";
import type { Realm } from "./zulip-realm.ts";

/** Returns what an export does not have, and how Zulip gives it, as sentences. */
export function lacksOf({ archive, root }: Layout, realm: Realm): string[] {
  const isEmpty = (folder: string): boolean => {
    for (const { name } of archive.under(`${root}${folder}/`)) if (!name.endsWith("/records.json")) return false;
    return true;
  };
  return [
    ...([...realm.recipients.values()].some(({ kind }) => kind === "huddle") ? [] : [TALKS]),
    ...(isEmpty("uploads") ? [FILES] : []),
    ...(realm.hasAddresses ? [] : [ADDRESSES]),
  ];
}

const TALKS =
  "The export has no group conversations. An export of public data has only public channels; `manage.py export` on Zulip's server, without options, has everything.";
const FILES = "The export has no files in uploads/. Name the archive or folder as `manage.py export` made it.";
const ADDRESSES =
  "The export has no e-mail addresses. `manage.py export` on Zulip's server has them, and users.csv takes them by hand.";

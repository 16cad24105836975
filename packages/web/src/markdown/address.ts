import { addressAt, endsAddress, hrefOf } from "@parley/protocol/addresses";

export { addressAt, endsAddress, hrefOf };

/** Matches text that looks like the name of a host, in letters of any script. */
const HOSTS = /[\p{L}\p{N}-]+(?:[.。]\p{L}[\p{L}\p{N}-]*)+/gu;
/** Characters that turn or hide text, so that it does not show what it says. */
const DECEPTIVE = /[\p{Cf}\p{Cc}]/u;

const plainHost = (host: string): string => host.replace(/^www\./, "");

/** Returns the host, or the mailbox, that a link leads to if its text names another one or hides what it names; otherwise null. */
export function hostToShow(text: string, href: string): string | null {
  const { protocol, host, hostname, pathname } = new URL(href);
  const isMail = protocol === "mailto:";
  const target = isMail ? pathname : host;
  if (DECEPTIVE.test(text.replaceAll("\n", " "))) return target;
  const shown = text.normalize("NFKC");
  if (isMail) return shown.includes("@") && !shown.includes(pathname) ? target : null;
  const named = shown.match(HOSTS) ?? [];
  return named.some((name) => plainHost(URL.parse(`https://${name}`)?.hostname ?? "") !== plainHost(hostname))
    ? target
    : null;
}

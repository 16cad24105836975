/** Where an address in running text ends: blanks, quotes, and the punctuation of Chinese and Japanese. */
const END = /[\s<>"'`|\p{Cc}\p{Cf}，。、！？；：（）【】《》「」『』“”‘’…]/u;
/** Punctuation that ends the sentence or closes an emphasis, not the address. */
const TRAILING = ".,;:!?*_~";
const CLOSES: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
const OPENS = Object.values(CLOSES);
const SCHEME = /^https?:\/\/./i;

export const endsAddress = (letter: string): boolean => END.test(letter);

/** Returns the web address that a text begins with; "" if it begins with none. */
export function addressAt(text: string): string {
  const open: string[] = [];
  let end = 0;
  for (; end < text.length; end++) {
    const letter = text.charAt(end);
    if (endsAddress(letter)) break;
    if (OPENS.includes(letter)) open.push(letter);
    // A closing bracket that was not opened within the address belongs to the text around it.
    else if (letter in CLOSES && open.pop() !== CLOSES[letter]) break;
  }
  while (end > 0 && TRAILING.includes(text.charAt(end - 1))) end--;
  const address = text.slice(0, end);
  return SCHEME.test(address) && hrefOf(address) !== null ? address : "";
}

/** The protocols that messages may link to. */
const LINKED = ["https:", "http:", "mailto:"];

/** Returns the normalized address of a link; null if a message may not link to it. */
export function hrefOf(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !LINKED.includes(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href;
}

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

/** Where an address in running text ends: blanks, quotes, and the punctuation of Chinese and Japanese. */
const END = /[\s<>"'`|\p{Cc}\p{Cf}，。、！？；：（）【】《》「」『』“”‘’…]/u;
/** Punctuation that ends the sentence or closes an emphasis, not the address. */
const TRAILING = ".,;:!?*_~";
const CLOSES: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
const OPENS = Object.values(CLOSES);
const SCHEME = /^https?:\/\/./i;

/** True for a character that ends a web address in running text. */
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

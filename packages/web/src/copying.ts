import { byId } from "./dom.ts";
import type { ClaimWords } from "./texts/claim-words.ts";

const SHOWN_MS = 2_000;

/**
 * Lets a button copy the text of an element. Where the page may not use the clipboard (plain http on another machine) the text is
 * selected, so that one key press copies it. `done` is called when it is in the clipboard.
 */
export function copies(
  button: HTMLButtonElement,
  source: HTMLElement,
  { texts }: ClaimWords,
  done: () => void = () => {},
): void {
  const label = button.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.onclick = async () => {
    const isCopied = await copyText(source);
    if (isCopied) done();
    button.textContent = isCopied ? texts.copied : texts.pressKeys;
    say(isCopied ? texts.saidCopied : texts.saidSelected);
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
    }, SHOWN_MS);
  };
}

async function copyText(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand("copy");
  }
}

let silence: ReturnType<typeof setTimeout> | undefined;

/** Tells those who hear the page instead of seeing it, for as long as it is shown; the next word of any button takes its place. */
function say(text: string): void {
  const said = byId("said", HTMLParagraphElement);
  said.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => {
    said.textContent = "";
  }, SHOWN_MS);
}

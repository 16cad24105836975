import type { ClaimTexts } from "../i18n/claim-texts.ts";
import { byId } from "./dom.ts";

const SHOWN_MS = 2_000;

/**
 * Makes a button copy the text of an element. Without clipboard access (plain http on another machine) the text is
 * selected, so that one key press copies it. `done` is called when it has been copied.
 */
export function addCopyButton(
  button: HTMLButtonElement,
  source: HTMLElement,
  { texts }: ClaimTexts,
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

/** Announces a text to screen readers for as long as it is shown; the next announcement replaces it. */
function say(text: string): void {
  const said = byId("said", HTMLParagraphElement);
  said.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => {
    said.textContent = "";
  }, SHOWN_MS);
}

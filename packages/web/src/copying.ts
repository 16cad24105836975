import { byId } from "./dom.ts";

const SHOWN_MS = 2_000;

/**
 * Lets a button copy the text of an element. Where the page may not use the clipboard (plain http on another machine) the text is
 * selected, so that one key press copies it. `done` is called when it is in the clipboard.
 */
export function copies(button: HTMLButtonElement, source: HTMLElement, done: () => void = () => {}): void {
  const label = button.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.onclick = async () => {
    const isCopied = await copyText(source);
    if (isCopied) done();
    button.textContent = isCopied ? "Copied" : "Press Ctrl+C";
    say(isCopied ? "Copied." : "The text is selected: press Control C to copy it.");
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
      say("");
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

/** Tells those who hear the page instead of seeing it. */
function say(text: string): void {
  byId("said", HTMLParagraphElement).textContent = text;
}

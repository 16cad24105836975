import { byId } from "./dom.ts";

/** Typing is told again after this long at the earliest. */
const TYPING_MS = 3_000;

/** Where one writes: Enter sends, Shift and Enter makes a line. A guest is asked to log in instead. */
export class Composer {
  readonly #form = byId("composer", HTMLFormElement);
  readonly #text = byId("text", HTMLTextAreaElement);
  readonly #send = byId("send", HTMLButtonElement);
  #toldTyping = 0;
  #mayWrite = false;

  constructor(act: { send(text: string): void; typing(): void; logIn(): void }) {
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      if (!this.#mayWrite) {
        act.logIn();
        return;
      }
      const text = this.#text.value.trim();
      if (text === "") return;
      this.#text.value = "";
      this.#toldTyping = 0;
      this.#fit();
      act.send(text);
    };
    this.#text.onkeydown = (event) => {
      // Enter that ends a composition of characters is not for us.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#form.requestSubmit();
    };
    this.#text.oninput = () => {
      this.#fit();
      if (this.#text.value === "" || performance.now() - this.#toldTyping < TYPING_MS) return;
      this.#toldTyping = performance.now();
      act.typing();
    };
  }

  /** Who writes (null: a guest), and where. */
  show(me: string | null, channel: string): void {
    this.#mayWrite = me !== null;
    this.#text.disabled = me === null;
    this.#text.placeholder = me === null ? "Log in to talk" : `Message ${channel} as ${me}`;
    this.#send.textContent = me === null ? "Log in" : "Send";
  }

  focus(): void {
    this.#text.focus();
  }

  #fit(): void {
    this.#text.style.height = "auto";
    this.#text.style.height = `${Math.min(this.#text.scrollHeight, 160)}px`;
  }
}

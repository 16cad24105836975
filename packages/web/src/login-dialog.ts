import type { ParleyClient } from "@parley/sdk/client";
import { ParleyError } from "@parley/sdk/errors";
import { byId } from "./dom.ts";

/** The forms to log in and to register; one dialog, because they ask for the same. */
export class LoginDialog {
  readonly #dialog = byId("login", HTMLDialogElement);
  readonly #title = byId("login-title", HTMLHeadingElement);
  readonly #error = byId("login-error", HTMLParagraphElement);
  readonly #submit = byId("login-submit", HTMLButtonElement);
  readonly #other = byId("login-other", HTMLButtonElement);
  readonly #otherText = byId("login-other-text", HTMLSpanElement);
  readonly #username = byId("username", HTMLInputElement);
  readonly #password = byId("password", HTMLInputElement);
  readonly #client: ParleyClient;
  readonly #done: () => void;
  #registers = false;

  /** `done` is called when the client has a session. */
  constructor(client: ParleyClient, done: () => void) {
    this.#client = client;
    this.#done = done;
    byId("login-close", HTMLButtonElement).onclick = () => this.#dialog.close();
    this.#other.onclick = () => this.#show(!this.#registers);
    byId("login-form", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      void this.#send();
    };
  }

  open(): void {
    this.#show(false);
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#username.focus();
  }

  #show(registers: boolean): void {
    this.#registers = registers;
    const title = registers ? "Make an account" : "Log in";
    this.#title.textContent = title;
    this.#submit.textContent = title;
    this.#otherText.textContent = registers ? "Have an account?" : "New here?";
    this.#other.textContent = registers ? "Log in" : "Make an account";
    this.#password.autocomplete = registers ? "new-password" : "current-password";
    this.#error.textContent = "";
  }

  async #send(): Promise<void> {
    const body = { username: this.#username.value.trim(), password: this.#password.value };
    this.#submit.disabled = true;
    this.#error.textContent = "";
    try {
      if (this.#registers) await this.#client.accounts.register(body);
      else await this.#client.accounts.login(body);
      this.#password.value = "";
      this.#dialog.close();
      this.#done();
    } catch (error) {
      this.#error.textContent = reasonOf(error);
      this.#password.focus();
    } finally {
      this.#submit.disabled = false;
    }
  }
}

/** An error as it is told to a person. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ParleyError)) return String(error);
  if (error.code === "network_error" || error.code === "timeout") return "The server cannot be reached.";
  return error.retryAfter === undefined ? error.message : `${error.message} (${error.retryAfter} s)`;
}

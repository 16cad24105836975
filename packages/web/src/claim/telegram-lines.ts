import { ParleyClient } from "@parley/sdk";
import type { AgentAccess } from "../agents/key-commands.ts";
import type { ClaimTexts } from "../i18n/claim-texts.ts";
import { errorMessage } from "../i18n/error-message.ts";
import { addCopyButton } from "./copy-button.ts";
import { byId } from "./dom.ts";

/**
 * The token and the address for a bot that was made for Telegram. They are read each time the section is opened: a token
 * begins with the number of the agent's name, which a new agent gets when it first logs in or writes.
 */
export class TelegramLines {
  readonly #section = byId("telegram", HTMLDetailsElement);
  readonly #note = byId("telegram-note", HTMLParagraphElement);
  readonly #shown = byId("telegram-lines", HTMLDivElement);
  readonly #lines = byId("token", HTMLPreElement);
  readonly #words: ClaimTexts;

  /** `stored`: called when the token was copied, which contains the key. */
  constructor(words: ClaimTexts, stored: () => void) {
    this.#words = words;
    addCopyButton(byId("copy-telegram", HTMLButtonElement), this.#lines, words, stored);
  }

  offer(access: Pick<AgentAccess, "url" | "apiKey">): void {
    this.#section.ontoggle = () => void (this.#section.open && this.#load(access));
  }

  forget(): void {
    this.#section.ontoggle = null;
    this.#section.open = false;
    this.#write("", []);
  }

  async #load({ url, apiKey }: Pick<AgentAccess, "url" | "apiKey">): Promise<void> {
    const { texts, reasons } = this.#words;
    try {
      const { telegram } = await new ParleyClient({ url, apiKey }).agent.me();
      if (this.#section.ontoggle === null) return;
      if (telegram === undefined) return this.#write(texts.noTelegram, []);
      const tokens = telegram.bots.map(({ bot_id }) => `TOKEN=${bot_id}:${apiKey}`);
      this.#write(tokens.length === 0 ? texts.noName : "", [...tokens, `API_ROOT=${telegram.api_root}`]);
    } catch (error) {
      this.#write(errorMessage(error, reasons), []);
    }
  }

  #write(note: string, lines: readonly string[]): void {
    this.#note.textContent = note;
    this.#lines.textContent = lines.join("\n");
    this.#shown.hidden = lines.length === 0;
  }
}

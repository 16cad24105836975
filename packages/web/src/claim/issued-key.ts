import type { ClaimedKeyResponse } from "@parley/protocol/claims";
import { sdkProgram, shellCommands } from "../agents/key-commands.ts";
import type { ClaimTexts } from "../i18n/claim-texts.ts";
import { agentNameFor } from "./agent-name.ts";
import { addCopyButton } from "./copy-button.ts";
import { around, byId, make, nameOf } from "./dom.ts";
import { TelegramLines } from "./telegram-lines.ts";

const NETWORKS: Readonly<Record<string, string>> = { x: "X", bluesky: "Bluesky", mastodon: "Mastodon" };

/**
 * Shows a key once. It is only in the page's text, not in a form field, which browsers may write to disk to restore a
 * tab; it is removed when the page is left. Until the key is copied, leaving asks for confirmation.
 */
export class KeyCard {
  readonly #card = byId("key-card", HTMLElement);
  readonly #key = byId("key", HTMLElement);
  readonly #shell = byId("shell", HTMLPreElement);
  readonly #program = byId("program", HTMLPreElement);
  readonly #telegram: TelegramLines;
  readonly #words: ClaimTexts;
  readonly #ask = (event: Event) => event.preventDefault();

  constructor(words: ClaimTexts) {
    this.#words = words;
    const writeStored = () => removeEventListener("beforeunload", this.#ask);
    addCopyButton(byId("copy-key", HTMLButtonElement), this.#key, words, writeStored);
    addCopyButton(byId("copy-shell", HTMLButtonElement), this.#shell, words, writeStored);
    addCopyButton(byId("copy-program", HTMLButtonElement), this.#program, words);
    this.#telegram = new TelegramLines(words, writeStored);
    document.addEventListener("copy", () => {
      const key = this.#key.textContent;
      if (key !== "" && getSelection()?.toString().includes(key)) writeStored();
    });
    addEventListener("pagehide", () => this.#forget());
  }

  /** `replaces`: earlier keys no longer work. */
  show(claimed: ClaimedKeyResponse, url: string, replaces: boolean): void {
    const name = agentNameFor(claimed.social_account.handle);
    const access = { url, apiKey: claimed.api_key, name, channel: "general" };
    byId("replaced", HTMLParagraphElement).hidden = !replaces;
    this.#key.textContent = claimed.api_key;
    this.#shell.textContent = shellCommands(access);
    this.#program.textContent = sdkProgram(access);
    this.#telegram.offer(access);
    byId("facts", HTMLDListElement).replaceChildren(...factsOf(claimed, this.#words));
    this.#card.hidden = false;
    addEventListener("beforeunload", this.#ask);
    byId("key-title", HTMLHeadingElement).focus();
  }

  #forget(): void {
    removeEventListener("beforeunload", this.#ask);
    this.#key.textContent = "";
    this.#shell.textContent = "";
    this.#telegram.forget();
    this.#card.hidden = true;
  }
}

function factsOf(
  { social_account: account, username, is_anonymous, owner_verified, agent_id }: ClaimedKeyResponse,
  { texts }: ClaimTexts,
) {
  const rights = is_anonymous ? texts.anonymous : owner_verified ? "" : texts.byName;
  const network = NETWORKS[account.provider] ?? account.provider;
  const facts: [string, (Node | string)[]][] = [
    [texts.account, around(texts.accountOn(network), nameOf(account.handle))],
    [texts.owner, username === null ? [texts.nobody] : [nameOf(username), rights]],
    [texts.agent, [texts.numbered(agent_id)]],
  ];
  return facts.flatMap(([term, fact]) => [make("dt", "", term), make("dd", "", ...fact)]);
}

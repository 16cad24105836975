import type { ClaimNetwork, VerificationCodeResponse } from "@parley/protocol/claims";
import type { ClaimTexts } from "../i18n/claim-texts.ts";
import { addCopyButton } from "./copy-button.ts";
import { byId, make } from "./dom.ts";
import { composeUrl, networkName } from "./networks.ts";

const TICK_MS = 1_000;

/** The code, its remaining time, and links to post it. */
export class CodePane {
  readonly #box = byId("code-box", HTMLFieldSetElement);
  readonly #code = byId("code", HTMLOutputElement);
  readonly #left = byId("left", HTMLSpanElement);
  readonly #other = byId("other-code", HTMLButtonElement);
  readonly #template = byId("template", HTMLParagraphElement);
  readonly #compose = byId("compose", HTMLDivElement);
  readonly #words: ClaimTexts;
  readonly #onExpired: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `onExpired` is called once for each code that expires while shown. */
  constructor(words: ClaimTexts, onExpired: () => void) {
    this.#words = words;
    this.#onExpired = onExpired;
    addCopyButton(byId("copy-template", HTMLButtonElement), this.#template, words);
  }

  show(given: VerificationCodeResponse, networks: readonly ClaimNetwork[]): void {
    this.#code.value = given.verification_code;
    this.#template.textContent = given.post_template;
    this.#compose.replaceChildren(...composeLinks(networks, given.post_template, this.#words));
    this.#box.hidden = false;
    this.#other.className = "secondary";
    this.#other.textContent = this.#words.texts.anotherCode;
    this.#box.focus();
    // This machine's clock may be wrong, but unlike a timer it continues while the machine sleeps.
    const endsAt = Date.now() + given.expires_in * 1_000;
    this.stop();
    this.#timer = setInterval(() => this.#count(endsAt), TICK_MS);
    this.#count(endsAt);
  }

  /** Stops the countdown. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #count(endsAt: number): void {
    const left = Math.max(0, Math.ceil((endsAt - Date.now()) / 1_000));
    const { texts } = this.#words;
    const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    this.#left.textContent = left === 0 ? texts.expired : texts.left(time);
    this.#box.dataset.state = left === 0 ? "expired" : "good";
    if (left > 0) return;
    this.stop();
    this.#other.className = "";
    this.#other.textContent = texts.newCode;
    this.#onExpired();
  }
}

/** Returns a link for each network; several Mastodon instances share one link with a choice. */
function composeLinks(networks: readonly ClaimNetwork[], text: string, words: ClaimTexts): HTMLElement[] {
  const instances = networks.filter(({ provider }) => provider === "mastodon");
  const single = instances.length === 1 ? networks : networks.filter(({ provider }) => provider !== "mastodon");
  const links: HTMLElement[] = single.map((network) => composeLink(network, text, words));
  const [first] = instances;
  if (first !== undefined && instances.length > 1) links.push(instanceChoice(first, instances, text, words));
  return links;
}

function composeLink(network: ClaimNetwork, text: string, { texts }: ClaimTexts): HTMLAnchorElement {
  const link = make("a", "button", texts.postOn(networkName(network)), make("span", "visually-hidden", texts.newTab));
  link.href = composeUrl(network, text);
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

function instanceChoice(
  first: ClaimNetwork,
  instances: readonly ClaimNetwork[],
  text: string,
  words: ClaimTexts,
): HTMLElement {
  const choice = make("select", "", ...instances.map(({ host }) => new Option(host, host)));
  choice.ariaLabel = words.texts.instance;
  const link = (host: string) => composeLink({ ...first, host }, text, words);
  const group = make("span", "choice", choice, link(first.host));
  choice.onchange = () => group.lastElementChild?.replaceWith(link(choice.value));
  return group;
}

import type { ClaimNetwork, VerificationCodeAnswer } from "@parley/protocol/claims";
import { composeUrl, networkName } from "./claim-networks.ts";
import { copies } from "./copying.ts";
import { byId, make } from "./dom.ts";

const TICK_MS = 1_000;

/** The code, how long it lives, and the ways to post it. */
export class CodePane {
  readonly #box = byId("code-box", HTMLFieldSetElement);
  readonly #code = byId("code", HTMLOutputElement);
  readonly #left = byId("left", HTMLSpanElement);
  readonly #other = byId("other-code", HTMLButtonElement);
  readonly #template = byId("template", HTMLParagraphElement);
  readonly #compose = byId("compose", HTMLDivElement);
  readonly #onExpired: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `onExpired` is called once for each code that was shown until its end. */
  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
    copies(byId("copy-template", HTMLButtonElement), this.#template);
  }

  show(given: VerificationCodeAnswer, networks: readonly ClaimNetwork[]): void {
    this.#code.value = given.verification_code;
    this.#template.textContent = given.post_template;
    this.#compose.replaceChildren(...composeLinks(networks, given.post_template));
    this.#box.hidden = false;
    this.#other.className = "quiet";
    this.#other.textContent = "Another code";
    this.#box.focus();
    // The clock of this machine may be wrong, but it also runs while the machine sleeps.
    const endsAt = Date.now() + given.expires_in * 1_000;
    this.stop();
    this.#timer = setInterval(() => this.#count(endsAt), TICK_MS);
    this.#count(endsAt);
  }

  /** Ends the counting. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #count(endsAt: number): void {
    const left = Math.max(0, Math.ceil((endsAt - Date.now()) / 1_000));
    this.#left.textContent =
      left === 0 ? "expired" : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    this.#box.dataset.state = left === 0 ? "expired" : "good";
    if (left > 0) return;
    this.stop();
    this.#other.className = "";
    this.#other.textContent = "Get a new code";
    this.#onExpired();
  }
}

/** A link for each network; of several Mastodon instances one is chosen. */
function composeLinks(networks: readonly ClaimNetwork[], text: string): HTMLElement[] {
  const instances = networks.filter(({ provider }) => provider === "mastodon");
  const single = instances.length === 1 ? networks : networks.filter(({ provider }) => provider !== "mastodon");
  const links: HTMLElement[] = single.map((network) => composeLink(network, text));
  const [first] = instances;
  if (first !== undefined && instances.length > 1) links.push(instanceChoice(first, instances, text));
  return links;
}

function composeLink(network: ClaimNetwork, text: string): HTMLAnchorElement {
  const link = make("a", "button", `Post on ${networkName(network)}`, make("span", "unseen", " (opens a new tab)"));
  link.href = composeUrl(network, text);
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

function instanceChoice(first: ClaimNetwork, instances: readonly ClaimNetwork[], text: string): HTMLElement {
  const choice = make("select", "", ...instances.map(({ host }) => new Option(host, host)));
  choice.ariaLabel = "Mastodon instance";
  const group = make("span", "choice", choice, composeLink(first, text));
  choice.onchange = () => group.lastElementChild?.replaceWith(composeLink({ ...first, host: choice.value }, text));
  return group;
}

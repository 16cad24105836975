import type { ClaimNetwork, ClaimNetworksAnswer } from "@parley/protocol/claims";
import { ParleyClient } from "@parley/sdk/client";
import { ParleyError } from "@parley/sdk/errors";
import { type Advice, adviceFor, type Remedy } from "./claim-advice.ts";
import { CodePane } from "./claim-code.ts";
import { KeyCard } from "./claim-key.ts";
import { addressExample, networkList } from "./claim-networks.ts";
import { byId, make, nameOf } from "./dom.ts";
import { reasonOf } from "./reason.ts";
import { EN_REASONS } from "./texts/en-reasons.ts";

/** What a remedy's button says; the others are the form itself. */
const REMEDIES: Partial<Record<Remedy, string>> = {
  new_code: "Get a new code",
  recover: "Replace the lost key",
  redeem: "Get my key",
};

/** The page at `/claim`: a code, a post, a key. */
export class ClaimPage {
  readonly #client: ParleyClient;
  readonly #code = new CodePane(() => this.#expire());
  readonly #card = new KeyCard();
  readonly #getCode = byId("get-code", HTMLButtonElement);
  readonly #otherCode = byId("other-code", HTMLButtonElement);
  readonly #codeError = byId("code-error", HTMLParagraphElement);
  readonly #form = byId("show-form", HTMLFormElement);
  readonly #address = byId("address", HTMLInputElement);
  readonly #owner = byId("owner-name", HTMLInputElement);
  readonly #label = byId("label", HTMLDetailsElement);
  readonly #getKey = byId("get-key", HTMLButtonElement);
  readonly #problem = byId("problem", HTMLDivElement);
  readonly #remedy = byId("remedy", HTMLButtonElement);
  #networks: readonly ClaimNetwork[] = [];
  /** The code that is shown; null before the first. */
  #shown: string | null = null;

  constructor(url: string) {
    this.#client = new ParleyClient({ url });
  }

  start(): void {
    this.#getCode.onclick = () => void this.#fetchCode();
    this.#otherCode.onclick = () => void this.#fetchCode();
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      void this.#show("redeem");
    };
    void this.#readNetworks();
  }

  async #readNetworks(): Promise<void> {
    try {
      const answer = await this.#client.claims.networks();
      this.#networks = answer.networks;
      this.#describe(answer);
    } catch (error) {
      this.#say(reasonOf(error, EN_REASONS));
    }
  }

  #describe({ networks, username }: ClaimNetworksAnswer): void {
    const [first] = networks;
    this.#say(first === undefined ? "This server looks up posts on no network, so it can give no keys here." : "");
    this.#getCode.disabled = first === undefined;
    if (first === undefined) return;
    byId("networks", HTMLSpanElement).textContent = networkList(networks);
    byId("address-hint", HTMLParagraphElement).textContent = `Such as ${addressExample(first)}`;
    this.#label.hidden = username !== null;
    byId("owner", HTMLParagraphElement).replaceChildren(...ownerLine(username));
  }

  async #fetchCode(): Promise<void> {
    this.#codeError.textContent = "";
    this.#wait(true);
    try {
      // Who is logged in may have changed since the page was opened.
      const [given] = await Promise.all([this.#client.claims.getCode(), this.#readNetworks()]);
      this.#shown = given.verification_code;
      this.#getCode.hidden = true;
      this.#address.value = "";
      this.#tell("", null);
      this.#enable(true);
      this.#code.show(given, this.#networks);
    } catch (cause) {
      this.#codeError.textContent = reasonOf(cause, EN_REASONS);
    } finally {
      this.#wait(false);
    }
  }

  /** Shows the post: for the first key of an account, or for one that takes the place of all earlier ones. */
  async #show(way: "redeem" | "recover"): Promise<void> {
    const tweet_url = this.#address.value.trim();
    if (this.#shown === null) return;
    if (tweet_url === "") {
      this.#tell("Paste the address of your post.", "address");
      return;
    }
    const proof = { tweet_url, verification_code: this.#shown };
    this.#tell("", null);
    this.#wait(true);
    this.#getKey.textContent = "Looking at the post…";
    let refused: Advice | null = null;
    try {
      const { claims } = this.#client;
      const xUsername = this.#label.hidden ? undefined : this.#owner.value.trim() || undefined;
      const claimed = way === "recover" ? await claims.recover(proof) : await claims.redeem(proof, { xUsername });
      this.#code.stop();
      byId("steps", HTMLOListElement).hidden = true;
      for (const id of ["lead", "lost"]) byId(id, HTMLParagraphElement).hidden = true;
      this.#card.show(claimed, this.#client.url, way === "recover");
    } catch (error) {
      refused = adviceFor(error);
    } finally {
      this.#wait(false);
      this.#getKey.textContent = "Get my key";
    }
    if (refused !== null) this.#tell(refused.text, refused.remedy);
  }

  /** What went wrong, and the way on; `""`: nothing. */
  #tell(text: string, remedy: Remedy | null): void {
    this.#problem.textContent = text;
    this.#address.ariaInvalid = String(remedy === "address");
    this.#owner.ariaInvalid = String(remedy === "owner");
    const label = remedy === null ? undefined : REMEDIES[remedy];
    this.#remedy.hidden = label === undefined;
    this.#remedy.textContent = label ?? "";
    this.#remedy.onclick = () =>
      void (remedy === "new_code" ? this.#fetchCode() : this.#show(remedy === "recover" ? "recover" : "redeem"));
    // The other way stands beside it, as one that did not help.
    this.#getKey.className = label === undefined ? "" : "quiet";
    if (remedy === "owner") this.#label.open = true;
    if (label !== undefined) this.#remedy.focus();
    else if (remedy === "owner") this.#owner.focus();
    else if (remedy !== null) this.#address.focus();
  }

  #wait(waiting: boolean): void {
    for (const button of [this.#getCode, this.#otherCode, this.#getKey, this.#remedy]) button.disabled = waiting;
  }

  #expire(): void {
    this.#enable(false);
    this.#codeError.textContent = adviceFor(new ParleyError("verification_code_expired", "")).text;
  }

  /** The steps after the first are there while there is a code that lives. */
  #enable(enabled: boolean): void {
    byId("code-step", HTMLLIElement).dataset.state = enabled ? "done" : "now";
    byId("post-step", HTMLLIElement).dataset.state = enabled ? "now" : "later";
    byId("show-step", HTMLLIElement).dataset.state = enabled ? "now" : "later";
  }

  #say(text: string): void {
    const notice = byId("notice", HTMLParagraphElement);
    notice.textContent = text;
    notice.hidden = text === "";
  }
}

function ownerLine(username: string | null): (Node | string)[] {
  if (username !== null) return ["You are logged in as ", nameOf(username), ": the agent will be yours."];
  const link = make("a", "", "Log in");
  link.href = "/";
  return [
    "You are not logged in, and need not be. ",
    link,
    " first if you want the agent in your account, to pause it or change its keys there.",
  ];
}

import type { ClaimNetwork, ClaimNetworksAnswer } from "@parley/protocol/claims";
import { ParleyClient } from "@parley/sdk/client";
import { type Advice, adviceFor, type Remedy } from "./claim-advice.ts";
import { CodePane } from "./claim-code.ts";
import { KeyCard } from "./claim-key.ts";
import { addressExample, networkList } from "./claim-networks.ts";
import { around, byId, make, nameOf } from "./dom.ts";
import { reasonOf } from "./reason.ts";
import type { ClaimWords } from "./texts/claim-words.ts";

/** The page at `/claim`: a code, a post, a key. */
export class ClaimPage {
  readonly #client: ParleyClient;
  readonly #words: ClaimWords;
  readonly #code: CodePane;
  readonly #card: KeyCard;
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

  constructor(url: string, words: ClaimWords) {
    this.#client = new ParleyClient({ url });
    this.#words = words;
    this.#code = new CodePane(words, () => this.#expire());
    this.#card = new KeyCard(words);
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
      this.#say(reasonOf(error, this.#words.reasons));
    }
  }

  #describe({ networks, username }: ClaimNetworksAnswer): void {
    const { texts } = this.#words;
    const [first] = networks;
    this.#say(first === undefined ? texts.noNetworks : "");
    this.#getCode.disabled = first === undefined;
    if (first === undefined) return;
    byId("networks", HTMLSpanElement).textContent = networkList(networks, this.#words);
    byId("address-hint", HTMLParagraphElement).textContent = texts.suchAs(addressExample(first));
    this.#label.hidden = username !== null;
    byId("owner", HTMLParagraphElement).replaceChildren(...ownerLine(username, this.#words));
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
      this.#codeError.textContent = adviceFor(cause, this.#words).text;
    } finally {
      this.#wait(false);
    }
  }

  /** Shows the post: for the first key of an account, or for one that takes the place of all earlier ones. */
  async #show(way: "redeem" | "recover"): Promise<void> {
    const tweet_url = this.#address.value.trim();
    if (this.#shown === null) return;
    if (tweet_url === "") {
      this.#tell(this.#words.texts.pasteFirst, "address");
      return;
    }
    const proof = { tweet_url, verification_code: this.#shown };
    this.#tell("", null);
    this.#wait(true);
    const label = this.#getKey.textContent;
    this.#getKey.textContent = this.#words.texts.looking;
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
      refused = adviceFor(error, this.#words);
    } finally {
      this.#wait(false);
      this.#getKey.textContent = label;
    }
    if (refused !== null) this.#tell(refused.text, refused.remedy);
  }

  /** What went wrong, and the way on; `""`: nothing. */
  #tell(text: string, remedy: Remedy | null): void {
    this.#problem.textContent = text;
    this.#address.ariaInvalid = String(remedy === "address");
    this.#owner.ariaInvalid = String(remedy === "owner");
    // The others are the form itself.
    const buttons: Partial<Record<Remedy, string>> = this.#words.texts.remedies;
    const label = remedy === null ? undefined : buttons[remedy];
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
    this.#codeError.textContent = this.#words.texts.advice.verification_code_expired;
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

function ownerLine(username: string | null, { texts }: ClaimWords): (Node | string)[] {
  if (username !== null) return around(texts.loggedIn, nameOf(username));
  const link = make("a", "", texts.logIn);
  link.href = "/";
  return around(texts.loggedOut, link);
}

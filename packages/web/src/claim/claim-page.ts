import type { ClaimNetwork, ClaimNetworksResponse, VerificationCodeResponse } from "@parley/protocol/claims";
import { ParleyClient } from "@parley/sdk";
import type { ClaimTexts } from "../i18n/claim-texts.ts";
import { errorMessage } from "../i18n/error-message.ts";
import { type CodePurpose, FIRST_KEY, newKeyAfter, newKeyFor } from "./code-purpose.ts";
import { around, byId, make, nameOf } from "./dom.ts";
import { type Advice, adviceFor, type Remedy } from "./error-advice.ts";
import { KeyCard } from "./issued-key.ts";
import { addressExample, networkList } from "./networks.ts";
import { CodePane } from "./verification-code.ts";

/** The page at `/claim`: get a code, post it, receive a key. */
export class ClaimPage {
  readonly #client: ParleyClient;
  readonly #words: ClaimTexts;
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
  readonly #lost = byId("lost", HTMLDetailsElement);
  readonly #lostProblem = byId("lost-problem", HTMLParagraphElement);
  readonly #agent = byId("agent-name", HTMLInputElement);
  readonly #recover = byId("recover-code", HTMLButtonElement);
  #networks: readonly ClaimNetwork[] = [];
  /** The code shown, with its secret token; null before the first. */
  #given: VerificationCodeResponse | null = null;
  #wish = FIRST_KEY;

  constructor(url: string, words: ClaimTexts) {
    this.#client = new ParleyClient({ url });
    this.#words = words;
    this.#code = new CodePane(words, () => this.#expire());
    this.#card = new KeyCard(words);
  }

  start(): void {
    this.#getCode.onclick = () => void this.#fetchCode(FIRST_KEY);
    this.#otherCode.onclick = () => void this.#fetchCode(this.#wish);
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      void this.#show();
    };
    byId("lost-form", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      const name = this.#agent.value.trim();
      if (name === "") this.#sayLost(this.#words.texts.advice.agent_name_required);
      else void this.#fetchCode(newKeyFor(name), (text) => this.#sayLost(text));
    };
    void this.#readNetworks();
  }

  async #readNetworks(): Promise<void> {
    try {
      const answer = await this.#client.claims.networks();
      this.#networks = answer.networks;
      this.#describe(answer);
    } catch (error) {
      this.#say(errorMessage(error, this.#words.reasons));
    }
  }

  #describe({ networks, username }: ClaimNetworksResponse): void {
    const { texts } = this.#words;
    const [first] = networks;
    this.#say(first === undefined ? texts.noNetworks : "");
    this.#getCode.disabled = first === undefined;
    if (first === undefined) return;
    byId("networks", HTMLSpanElement).textContent = networkList(networks, this.#words);
    byId("address-hint", HTMLParagraphElement).textContent = texts.suchAs(addressExample(first));
    this.#label.hidden = username !== null || this.#wish.agent !== null;
    byId("owner", HTMLParagraphElement).replaceChildren(...ownerLine(username, this.#words));
  }

  async #fetchCode(wish: CodePurpose, sayProblem?: (text: string) => void): Promise<void> {
    this.#codeError.textContent = "";
    this.#lostProblem.textContent = "";
    this.#wait(true);
    try {
      const given = await this.#client.claims.getCode(wish.query);
      [this.#given, this.#wish] = [given, wish];
      // The session may have changed since the page was opened.
      await this.#readNetworks();
      this.#describeWish(wish);
      this.#getCode.hidden = true;
      this.#address.value = "";
      this.#tell("", null);
      this.#enable(true);
      this.#code.show(given, this.#networks);
    } catch (cause) {
      const { text } = adviceFor(cause, this.#words);
      if (sayProblem === undefined) this.#codeError.textContent = text;
      else sayProblem(text);
    } finally {
      this.#wait(false);
    }
  }

  /** Recovering a key does not change the agent's owner. */
  #describeWish({ agent }: CodePurpose): void {
    const recovers = byId("recovers", HTMLParagraphElement);
    recovers.hidden = agent === null;
    recovers.replaceChildren(...(agent === null ? [] : around(this.#words.texts.recovers, nameOf(agent))));
    byId("owner", HTMLParagraphElement).hidden = agent !== null;
    if (agent !== null) this.#lost.open = false;
  }

  #sayLost(text: string): void {
    this.#lost.open = true;
    this.#lostProblem.textContent = text;
    this.#agent.ariaInvalid = String(text !== "");
    this.#agent.focus();
  }

  /** Submits the post: for an account's first key, or for a key that replaces all earlier ones. */
  async #show(): Promise<void> {
    const tweet_url = this.#address.value.trim();
    const [given, wish] = [this.#given, this.#wish];
    if (given === null) return;
    if (tweet_url === "") {
      this.#tell(this.#words.texts.pasteFirst, "address");
      return;
    }
    const { verification_code, claim_token } = given;
    const proof = { tweet_url, verification_code, claim_token };
    this.#tell("", null);
    this.#wait(true);
    const label = this.#getKey.textContent;
    this.#getKey.textContent = this.#words.texts.looking;
    let refused: Advice | null = null;
    let recovery: CodePurpose | null = null;
    try {
      const { claims } = this.#client;
      const xUsername = this.#label.hidden ? undefined : this.#owner.value.trim() || undefined;
      const claimed = await (wish.agent === null ? claims.redeem(proof, { xUsername }) : claims.recover(proof));
      this.#code.stop();
      for (const id of ["steps", "lead", "lost"]) byId(id, HTMLElement).hidden = true;
      this.#card.show(claimed, this.#client.url, wish.agent !== null);
    } catch (error) {
      refused = adviceFor(error, this.#words);
      recovery = newKeyAfter(error, this.#words);
    } finally {
      this.#wait(false);
      this.#getKey.textContent = label;
    }
    if (refused !== null) this.#tell(refused.text, refused.remedy, recovery);
  }

  /** Shows a problem and the next step; `""` clears it. `recovery`: the code that the remedy `recover` requests. */
  #tell(text: string, remedy: Remedy | null, recovery: CodePurpose | null = null): void {
    this.#problem.textContent = text;
    this.#address.ariaInvalid = String(remedy === "address");
    this.#owner.ariaInvalid = String(remedy === "owner");
    // Other remedies are actions in the form itself.
    const buttons: Partial<Record<Remedy, string>> = this.#words.texts.remedies;
    const label = remedy === null ? undefined : buttons[remedy];
    this.#remedy.hidden = label === undefined;
    this.#remedy.textContent = label ?? "";
    const wish = remedy === "recover" ? recovery : remedy === "redeem" ? FIRST_KEY : this.#wish;
    this.#remedy.onclick = () => void (wish === null ? this.#sayLost("") : this.#fetchCode(wish));
    // The submit button beside it has just failed.
    this.#getKey.className = label === undefined ? "" : "secondary";
    if (remedy === "owner") this.#label.open = true;
    if (label !== undefined) this.#remedy.focus();
    else if (remedy === "owner") this.#owner.focus();
    else if (remedy === "agent") this.#sayLost("");
    else if (remedy !== null) this.#address.focus();
  }

  #wait(waiting: boolean): void {
    for (const button of [this.#getCode, this.#otherCode, this.#getKey, this.#remedy, this.#recover])
      button.disabled = waiting;
  }

  #expire(): void {
    this.#enable(false);
    this.#codeError.textContent = this.#words.texts.advice.verification_code_expired;
  }

  /** Enables the later steps while a code is valid. */
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

function ownerLine(username: string | null, { texts }: ClaimTexts): (Node | string)[] {
  if (username !== null) return around(texts.loggedIn, nameOf(username));
  const link = make("a", "", texts.logIn);
  link.href = "/";
  return around(texts.loggedOut, link);
}

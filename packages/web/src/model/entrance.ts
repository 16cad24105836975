import type { Site } from "@parley/protocol/site";
import { ParleyError, type UserClient } from "@parley/sdk";
import { replaceAddress } from "../state/current-route.ts";
import { type Invitation, parseInvitation } from "../state/invitation.ts";
import { LoginFailure } from "../state/login-failure.ts";
import { retryUntilDone } from "../state/retry.ts";
import { channelHref } from "../state/route.ts";
import { Store } from "../state/store.ts";

/** How people get in: the site's settings, and the invitation that the page was opened with. */
export class Entrance {
  /** null until the server has answered. */
  readonly site = new Store<Site | null>(null);
  /** Kept until somebody logs in, also by guests who look around first. */
  readonly invitation: Store<Invitation | null>;
  /** The name of the inviter; undefined: not known yet; null: the code is not valid, or there is none. */
  readonly inviter = new Store<string | null | undefined>(undefined);
  /** True while the address is that of the invitation. */
  readonly isAtDoor: Store<boolean>;
  /** Why the login by the identity provider failed that led here; null: it did not, or the user has read it. */
  readonly failure: Store<LoginFailure | null>;
  readonly #client: UserClient;
  #isRequested = false;

  constructor(client: UserClient, address: Pick<Location, "pathname" | "search">) {
    this.#client = client;
    this.invitation = new Store(parseInvitation(address));
    this.isAtDoor = new Store(this.invitation.get() !== null);
    this.failure = new Store(LoginFailure.in(address));
  }

  /** Loads what a component needs; later calls do nothing. */
  need(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    retryUntilDone(() => this.#loadSite(), this.#report);
    retryUntilDone(() => this.#loadInviter(), this.#report);
  }

  /** Replaces the address of the invitation by that of its channel, or of the start page. */
  leave(): void {
    if (!this.isAtDoor.get()) return;
    const slug = this.invitation.get()?.channelSlug ?? null;
    replaceAddress(`/${slug === null ? "" : channelHref(slug)}`);
    this.isAtDoor.set(false);
  }

  /** Call it when a user is logged in: the invitation has led them here. */
  entered(): void {
    this.leave();
    this.invitation.set(null);
    // The user may be the owner that was missing.
    if (this.site.get()?.needs_owner === true) retryUntilDone(() => this.#loadSite(), this.#report);
  }

  async #loadSite(): Promise<void> {
    this.site.set((await this.#client.site()).site);
  }

  async #loadInviter(): Promise<void> {
    const code = this.invitation.get()?.code ?? null;
    try {
      this.inviter.set(code === null ? null : (await this.#client.accounts.invitation(code)).invitation.username);
    } catch (error) {
      if (!(error instanceof ParleyError) || !error.code.startsWith("inv")) throw error;
      this.inviter.set(null);
    }
  }

  /** The page works without the answer, and the request is repeated. */
  readonly #report = (error: unknown): void => console.warn(error);
}

import type { Browser, Page } from "playwright-core";
import type { NewPost } from "../../../../examples/key-claim/fake-networks.ts";
import type { ClaimWorld } from "../../../server/test/support/browser/claim-walk.ts";
import type { Visits } from "./visits.ts";

type Prepare = Parameters<Visits["open"]>[2];

/** A user's visit of `/claim`. */
export class ClaimVisit {
  readonly page: Page;
  readonly #world: ClaimWorld;

  private constructor(page: Page, world: ClaimWorld) {
    this.page = page;
    this.#world = world;
  }

  static async open(
    visits: Visits,
    world: ClaimWorld,
    options: Parameters<Browser["newContext"]>[0] = {},
    prepare?: Prepare,
  ): Promise<ClaimVisit> {
    const page = await visits.open(`${world.server.url}/claim`, options, prepare);
    await page.getByText(/You’re (not )?logged in/).waitFor();
    return new ClaimVisit(page, world);
  }

  /** Requests a code and returns it. */
  async code(button = "Get a code"): Promise<string> {
    const before = await this.page.locator("#code").textContent();
    await this.page.getByRole("button", { name: button }).first().click();
    return this.newCode(before);
  }

  /** Requests another code and returns it. */
  async newCode(before: string | null): Promise<string> {
    const code = this.page.locator("#code").getByText(/^\w{4}-\w{4}$/);
    await code.filter({ hasNotText: before === "" || before === null ? /^$/ : before }).waitFor();
    return code.innerText();
  }

  /** Posts the page's text, or another, and returns the post's URL. */
  async post(handle: string, more: Partial<NewPost> = {}): Promise<string> {
    const text = await this.page.locator("#template").innerText();
    return this.#world.posts.write({ network: "bluesky", handle, text, ...more });
  }

  /** Pastes a URL and requests the key. */
  async show(address: string): Promise<void> {
    await this.page.getByLabel("URL of your post").fill(address);
    await this.page.getByRole("button", { name: "Get my key" }).click();
  }

  /** Requests a code that replaces the key of an account that has claimed before. */
  async recover(): Promise<void> {
    const before = await this.page.locator("#code").textContent();
    await this.page.getByRole("button", { name: "Replace the lost key" }).click();
    await this.newCode(before);
  }

  /** Returns the key that is shown. */
  async key(): Promise<string> {
    await this.page.getByRole("heading", { name: "Your key" }).waitFor();
    return this.page.locator("#key").innerText();
  }

  /** Goes from the start to the key. */
  async claim(handle: string, more: Partial<NewPost> = {}): Promise<string> {
    await this.code();
    await this.show(await this.post(handle, more));
    return this.key();
  }
}

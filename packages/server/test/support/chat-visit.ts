import type { Browser, Locator, Page } from "playwright-core";
import { type Client, PASSWORD } from "./test-server.ts";
import type { Visits } from "./visits.ts";

type Options = Parameters<Browser["newContext"]>[0];

/** Somebody who looks at the chat in a browser. */
export class ChatVisit {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the chat and waits until it is live. `as`: with the session of that client, else as a guest. */
  static async open(
    visits: Visits,
    url: string,
    { as, at = "", ...options }: { as?: Client; at?: string } & Options = {},
  ): Promise<ChatVisit> {
    const page = await visits.open(`${url}/${at}`, options, async (page) => {
      const [name = "", value = ""] = (as?.credential.cookie ?? "").split("=");
      if (name !== "") await page.context().addCookies([{ name, value, url }]);
    });
    const visit = new ChatVisit(page);
    await visit.live();
    return visit;
  }

  live = () => this.page.locator(".connection[data-state=live]").waitFor({ state: "attached" });

  async register(username: string): Promise<void> {
    await this.page.getByRole("button", { name: "Create account" }).click();
    const dialog = this.page.getByRole("dialog");
    await dialog.getByLabel("Username").fill(username);
    await dialog.getByLabel("Password").fill(PASSWORD);
    await this.page.keyboard.press("Enter");
    await this.field.waitFor();
  }

  /** Opens one of the windows in the menu of oneself. */
  async openWindow(self: string, window: string): Promise<Locator> {
    const channels = this.page.getByRole("button", { name: "Open the list of channels" });
    if (await channels.isVisible()) await channels.click();
    await this.page.getByRole("button", { name: `Account of ${self}` }).click();
    await this.page.getByRole("button", { name: window }).click();
    return this.page.getByRole("dialog", { name: window });
  }

  get field(): Locator {
    return this.page.locator("textarea#text");
  }

  async say(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press("Enter");
  }

  /** The messages that hold this text. */
  message(text: string): Locator {
    return this.page.locator("article.message", { hasText: text });
  }

  /** Texts of the messages that are drawn, from above. */
  texts = (): Promise<string[]> => this.page.locator(".message:not(.pending) .body").allTextContents();

  waitFor = (text: string) => this.page.getByText(text).first().waitFor();

  /** Does something with a message by the buttons beside it. */
  async act(text: string, ...names: string[]): Promise<void> {
    await this.message(text).hover();
    for (const name of names) {
      await this.page.getByRole("button", { name, exact: true }).locator("visible=true").last().click();
    }
  }
}

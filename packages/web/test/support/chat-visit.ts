import type { Browser, Locator, Page } from "playwright-core";
import { type Client, eventually, PASSWORD } from "../../../server/test/support/servers/test-server.ts";
import type { Visits } from "./visits.ts";

type Options = Parameters<Browser["newContext"]>[0];

/** A user who looks at the chat in a browser. */
export class ChatVisit {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the chat and waits until it is live. `as`: with that client's session, otherwise as a guest. */
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

  /** Wraps a page that is already open. */
  static of(page: Page): ChatVisit {
    return new ChatVisit(page);
  }

  /** Waits two frames, after which the list is drawn. */
  drawn = () => this.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");

  /**
   * Runs the timers of the next two seconds, in which what is seen is reported as read, once what has arrived is drawn.
   * Install the clock of the page first (`page.clock.install`). Its own request comes after what the timers have sent.
   */
  async runTimers(): Promise<void> {
    await this.drawn();
    await this.page.clock.runFor(2_000);
    await this.page.evaluate("fetch('/livez').then((answer) => answer.text())");
  }

  live = () => this.page.locator(".connection[data-state=live]").waitFor({ state: "attached" });

  /** Waits for the code that the page loads last. Without it, a page that is cut off logs the requests that fail. */
  async hasAllCode(): Promise<void> {
    const last = "performance.getEntriesByType('resource').find(({ name }) => name.includes('/shown-call-'))?.name";
    const address = await eventually("the last code is asked for", () => this.page.evaluate<string | undefined>(last));
    await this.page.evaluate(`import(${JSON.stringify(address)}).then(() => {})`);
  }

  async goOffline(): Promise<void> {
    await this.hasAllCode();
    await this.page.context().setOffline(true);
  }

  async register(username: string): Promise<void> {
    await this.page.getByRole("button", { name: "Create account" }).click();
    const dialog = this.page.getByRole("dialog");
    await dialog.getByLabel("Username").fill(username);
    await dialog.getByLabel("Password").fill(PASSWORD);
    await this.page.keyboard.press("Enter");
    await this.field.waitFor();
  }

  /** Opens the account menu, and waits until its code is there. */
  async openAccountMenu(self: string): Promise<void> {
    const channels = this.page.getByRole("button", { name: "Open the channel list" });
    if (await channels.isVisible()) await channels.click();
    await this.page.getByRole("button", { name: `Account menu of ${self}` }).click();
    await this.page.getByRole("button", { name: "Your profile" }).waitFor();
  }

  /** Opens a window from the account menu. */
  async openWindow(self: string, window: string): Promise<Locator> {
    await this.openAccountMenu(self);
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

  /** Returns the messages that contain this text. */
  message(text: string): Locator {
    return this.page.locator("article.message", { hasText: text });
  }

  /** Returns the texts of the drawn messages, from the top. */
  texts = (): Promise<string[]> => this.page.locator(".message:not(.pending) .body").allTextContents();

  waitFor = (text: string) => this.page.getByText(text).first().waitFor();

  /** Returns the position of an element once the list is at rest: until then it may scroll or be measured. */
  async placeOf(what: Locator): Promise<NonNullable<Awaited<ReturnType<Locator["boundingBox"]>>>> {
    let last = await what.boundingBox();
    return eventually("the list is at rest", async () => {
      await this.drawn();
      const now = await what.boundingBox();
      const isAtRest = now !== null && now.y === last?.y;
      last = now;
      return isAtRest ? now : null;
    });
  }

  /** Hovers a message until it shows its actions: the list may move it from under the pointer. */
  async pointAt(what: string | Locator): Promise<void> {
    const message = typeof what === "string" ? this.message(what) : what;
    await eventually(`${what} shows what can be done with it`, async () => {
      await message.hover();
      return message.locator(".actions").isVisible();
    });
  }

  /** Uses the buttons beside a message, even if the list moves it meanwhile. */
  async act(what: string | Locator, first: string, ...names: string[]): Promise<void> {
    const message = typeof what === "string" ? this.message(what) : what;
    const button = (name: string) => message.getByRole("button", { name, exact: true }).locator("visible=true").last();
    // The list may move the message once more before the button is reached: then hover again.
    await eventually(`${first} of ${what} is pressed`, async () => {
      await this.pointAt(message);
      return pressed(button(first));
    });
    // While the menu is open, the message keeps it.
    for (const name of names) await button(name).click();
  }
}

/** Clicks a button wherever it is, in one turn of the page, so once or not at all. Returns false if it was gone. */
async function pressed(button: Locator): Promise<boolean> {
  const [found] = await button.elementHandles();
  if (found === undefined) return false;
  return found.evaluate((it) => {
    if (!it.isConnected || !("focus" in it && "click" in it)) return false;
    for (const act of [it.focus, it.click]) if (typeof act === "function") act.call(it);
    return true;
  });
}

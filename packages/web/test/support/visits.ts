import type { Browser, BrowserContext, Page } from "playwright-core";
import { PATIENCE_MS } from "../../../server/test/support/patience.ts";

/** The pages that a test has open, with the errors they log and the requests they make to other hosts. */
export class Visits {
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #complaints: string[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens a URL in a new browser profile; `prepare` is called first. */
  async open(
    address: string,
    options: Parameters<Browser["newContext"]>[0] = {},
    prepare: (page: Page) => Promise<unknown> = async () => {},
  ): Promise<Page> {
    const context = await this.#browser.newContext(options);
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => this.#complaints.push(String(error)));
    page.on("console", (message) => {
      // The text of a failed request does not tell which one it was.
      if (message.type() === "error") this.#complaints.push(`${message.text()} ${message.location().url}`.trim());
    });
    const { origin } = new URL(address);
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) this.#complaints.push(`asked for ${request.url()}`);
    });
    await prepare(page);
    await page.goto(address);
    return page;
  }

  /** Returns the errors logged since the last call. */
  complaints(): string[] {
    return this.#complaints.splice(0);
  }

  /** Closes all pages. */
  async leave(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
  }
}

import type { CDPSession, Locator, Page } from "playwright-core";
import { eventually } from "../../../server/test/support/servers/test-server.ts";

/** A phone's window and input, for `world.open`. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

/** How long a finger rests on the glass in a tap. Playwright's own `tap` is instantaneous, which hides what happens between. */
const TAP_MS = 150;

/** How long a press lasts before it counts as one that missed its element. */
const HOLD_MS = 3_000;

/** A finger: real touch events, so that the browser derives pointer, mouse and click events as on a phone. */
export class Finger {
  readonly #page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async on(page: Page): Promise<Finger> {
    return new Finger(page, await page.context().newCDPSession(page));
  }

  /** Taps the middle of an element. */
  async tap(what: Locator): Promise<void> {
    await this.press(what);
    // The duration of the gesture itself, not a time to wait for something.
    await new Promise((resolve) => setTimeout(resolve, TAP_MS));
    await this.lift();
  }

  /** Puts the finger on the middle of an element. */
  async press(what: Locator): Promise<void> {
    const box = await what.boundingBox();
    if (box === null) throw new Error(`${what} is not visible.`);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await this.#send("touchStart", [{ x, y }]);
  }

  /**
   * Holds the finger on an element until `opened` is shown, and leaves it there. Presses again if the element has moved
   * from under the finger meanwhile.
   */
  async hold(what: Locator, opened: Locator): Promise<void> {
    await eventually("the long press acts", async () => {
      await this.press(what);
      const isOpen = await opened.waitFor({ timeout: HOLD_MS }).then(
        () => true,
        () => false,
      );
      // A finger that is lifted would press what is below it.
      if (!isOpen) await this.#send("touchCancel", []);
      return isOpen;
    });
  }

  async lift(): Promise<void> {
    await this.#send("touchEnd", []);
    // The browser sends the click after the touch; a round trip follows both.
    await this.#page.evaluate("0");
  }

  async #send(type: "touchStart" | "touchEnd" | "touchCancel", touchPoints: { x: number; y: number }[]): Promise<void> {
    await this.#session.send("Input.dispatchTouchEvent", { type, touchPoints });
  }
}

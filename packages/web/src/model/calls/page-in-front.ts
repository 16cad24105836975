import type { RealtimeClient } from "@parley/sdk";

/** Windows lose and get the focus in passing, for example when a dialog of the browser opens. */
const SETTLE_MS = 300;

/** Tells the server whether this page is in front of its user: while one is, nothing is pushed. */
export class PageInFront {
  readonly #live: RealtimeClient;
  readonly #isUser: () => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the server knows of this socket. */
  #told = false;

  constructor(live: RealtimeClient, isUser: () => boolean) {
    this.#live = live;
    this.#isUser = isUser;
    for (const name of ["focus", "blur"]) addEventListener(name, () => this.#settle());
    document.addEventListener("visibilitychange", () => this.#settle());
  }

  /** Call it when a socket is ready: the server assumes that its page is not in front. */
  connected(): void {
    this.#told = false;
    this.#tell();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(), SETTLE_MS);
  }

  #tell(): void {
    const visible = document.visibilityState === "visible" && document.hasFocus();
    if (!this.#isUser() || this.#live.state !== "live" || visible === this.#told) return;
    this.#told = visible;
    this.#live.command("page:visible", { visible }).catch(() => {
      // The socket was lost; the next one tells it again. A server of the release before does not know the command.
    });
  }
}

import type { WebSocketRoute } from "playwright-core";
import type { ChatVisit } from "./chat-visit.ts";

/** The line of a page's socket, which a test cuts and mends. Requests of the page pass all the time. */
export class SocketLine {
  readonly #open = new Set<WebSocketRoute>();
  /** Resolves when the line is whole. */
  #whole = Promise.withResolvers<void>();

  /** Reloads the page, whose sockets use the line from then on. */
  static async of({ page, live }: ChatVisit): Promise<SocketLine> {
    const line = new SocketLine();
    line.mend();
    await page.routeWebSocket(/\/api\/ws/, async (socket) => {
      await line.#whole.promise;
      line.#open.add(socket).add(socket.connectToServer());
    });
    await page.reload();
    await live();
    return line;
  }

  async cut(): Promise<void> {
    this.#whole = Promise.withResolvers();
    for (const socket of this.#open) await socket.close();
    this.#open.clear();
  }

  mend(): void {
    this.#whole.resolve();
  }
}

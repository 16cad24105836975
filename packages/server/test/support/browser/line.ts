import type { Page, WebSocketRoute } from "playwright-core";

/** The network connection between a page and the server. */
export interface Line {
  up: boolean;
  down: boolean;
  /** If `isCut`, ends the socket and every later one, until it is called with `false`. */
  cut(isCut: boolean): Promise<void>;
}

/** Takes control of all sockets that the page opens from now on. They can be cut without either end noticing. */
export async function lineOf(page: Page): Promise<Line> {
  const sockets: WebSocketRoute[] = [];
  let isCut = false;
  const line: Line = {
    up: true,
    down: true,
    async cut(cut) {
      isCut = cut;
      if (cut) for (const socket of sockets.splice(0)) await socket.close();
    },
  };
  await page.routeWebSocket(/\/api\/ws(\?|$)/, (socket) => {
    if (isCut) return void socket.close();
    sockets.push(socket);
    const there = socket.connectToServer();
    socket.onMessage((frame) => line.up && there.send(frame));
    there.onMessage((frame) => line.down && socket.send(frame));
  });
  return line;
}

import { CLOSE } from "@parley/protocol/realtime";
import { interruptAgentStreams } from "../agents/events/open-stream-limits.ts";
import type { AppContext } from "../context.ts";
import type { Trust } from "../realtime/control/trust.ts";
import { FrameGate } from "../realtime/frame-gate.ts";
import type { Connections } from "./registry.ts";

/** Lets no frame pass while this node does not trust its memory. Clients that would miss frames must return. */
export function holdFrames(ctx: AppContext, trust: Trust, connections: Connections): void {
  const gate = new FrameGate(
    () => trust.isGood,
    () => {
      ctx.log.warn("too many events while PostgreSQL did not answer; closing the sockets, which then catch up");
      interruptAgentStreams(ctx);
      for (const connection of [...connections.all]) connection.close(CLOSE.restart, "catch up");
    },
  );
  ctx.hub.guard(gate);
  trust.onRead(() => ctx.hub.openGate());
}

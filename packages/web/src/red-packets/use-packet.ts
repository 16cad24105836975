import { useEffect } from "react";
import type { PacketView } from "../model/red-packets.ts";
import { useParley } from "../session/parley-context.ts";
import { useValue } from "../session/use-site.ts";
import { retryUntilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";

/** Subscribes a component to a packet; null until it is known, and on a server without red packets. */
export function usePacket(packetId: number): PacketView {
  const parley = useParley();
  const connection = useStore(parley.connection);
  const session = useStore(parley.session);
  const value = useValue();
  useEffect(() => {
    if (value !== true) return;
    if (connection !== "live" || session.state === "unknown") return;
    return retryUntilDone(
      () => parley.redPackets.ensureFresh(packetId),
      (error) => parley.showError(error),
    );
  }, [parley, packetId, connection, session, value]);
  return useStore(parley.redPackets.view(packetId));
}

import { useEffect } from "react";
import type { PacketView } from "../model/red-packets.ts";
import { useParley } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";

/** Subscribes a component to a packet; null until it is known. */
export function usePacket(packetId: number): PacketView {
  const parley = useParley();
  const connection = useStore(parley.connection);
  const session = useStore(parley.session);
  useEffect(() => {
    if (connection !== "live" || session.state === "unknown") return;
    return retryUntilDone(
      () => parley.redPackets.ensureFresh(packetId),
      (error) => parley.showError(error),
    );
  }, [parley, packetId, connection, session]);
  return useStore(parley.redPackets.view(packetId));
}

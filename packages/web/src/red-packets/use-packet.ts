import { useEffect } from "react";
import type { PacketView } from "../model/red-packets.ts";
import { useParley } from "../session/parley-context.ts";
import { untilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";

/** Subscribes a component to a packet; null until it is known. */
export function usePacket(packetId: number): PacketView {
  const parley = useParley();
  const connection = useStore(parley.connection);
  const session = useStore(parley.session);
  useEffect(() => {
    if (connection !== "live" || session.state === "unknown") return;
    return untilDone(
      () => parley.packets.look(packetId),
      (error) => parley.complain(error),
    );
  }, [parley, packetId, connection, session]);
  return useStore(parley.packets.view(packetId));
}

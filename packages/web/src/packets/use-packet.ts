import { useEffect } from "react";
import { useParley } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import { untilDone } from "../app/until-done.ts";
import type { PacketView } from "./packets.ts";

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

import { useEffect } from "react";
import { useParley } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import type { PacketView } from "./packets.ts";

/** A packet, kept up to date while it is shown; null until it is known. */
export function usePacket(packetId: number): PacketView {
  const parley = useParley();
  const connection = useStore(parley.connection);
  const session = useStore(parley.session);
  useEffect(() => {
    if (connection !== "live" || session.state === "unknown") return;
    // What cannot be read stays shut: the next look asks again.
    parley.packets.look(packetId).catch((error: unknown) => parley.complain(error));
  }, [parley, packetId, connection, session]);
  return useStore(parley.packets.view(packetId));
}

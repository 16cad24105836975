import type { ProtocolName } from "../jobs.ts";
import { irc } from "./irc.ts";
import { mqtt } from "./mqtt.ts";
import { nats } from "./nats.ts";
import { parley, parleyCompact } from "./parley.ts";
import type { Protocol } from "./protocol.ts";
import { socketIo } from "./socket-io.ts";
import { xmpp } from "./xmpp.ts";

export const protocols: Record<ProtocolName, Protocol> = {
  parley,
  "parley-compact": parleyCompact,
  "socket.io": socketIo,
  nats,
  mqtt,
  xmpp,
  irc,
};

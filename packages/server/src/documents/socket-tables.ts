import { EVENTS, type EventSpec } from "@parley/protocol/events";
import { COMMANDS, type CommandSpec } from "@parley/protocol/realtime";
import type { Config } from "../config/config.ts";
import { PAYMENT_CODES, withoutPaymentFields } from "../http/without-payments.ts";

/** The commands and events of the socket, by name. */
export interface SocketTables {
  commands: readonly (readonly [name: string, spec: CommandSpec])[];
  events: readonly (readonly [name: string, spec: EventSpec])[];
}

/** Returns the commands and events of the socket. Without value nobody pays, and nothing happens to a red packet. */
export function socketTables({ value }: Pick<Config, "value">): SocketTables {
  const [commands, events] = [Object.entries<CommandSpec>(COMMANDS), Object.entries<EventSpec>(EVENTS)];
  if (value === "on") return { commands, events };
  return {
    commands: commands.map(([name, { data, ack, ...spec }]) => {
      const errors = spec.errors.filter((code) => !PAYMENT_CODES.has(code));
      return [name, { ...spec, errors, data: withoutPaymentFields(data), ack: withoutPaymentFields(ack) }] as const;
    }),
    events: events.filter(([name]) => !name.startsWith("red_packet:")),
  };
}

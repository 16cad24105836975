import { type Static, Type } from "typebox";

/** The query of the handshake at /api/ws (protocol §8). */
export const SocketQuery = Type.Object({
  frames: Type.Optional(
    Type.Enum(["full", "compact"], {
      description:
        "`compact`: the messages in `message:new` and `message:update` lack the fields that have their usual value, and a frame may be an array of several events. Default: `full`.",
    }),
  ),
});
export type SocketQuery = Static<typeof SocketQuery>;

import { useEffect, useRef } from "react";
import { useParley } from "../session/parley-context.ts";

/** The minimum interval between two typing events. */
const AGAIN_MS = 3_000;

/** Reports that the user is typing. Failures are ignored. */
export function useTyping(channelId: number): { tell(): void; stop(): void } {
  const { live } = useParley();
  const sentAt = useRef(Number.NEGATIVE_INFINITY);
  const typing = {
    tell() {
      if (performance.now() - sentAt.current < AGAIN_MS) return;
      sentAt.current = performance.now();
      live.command("typing:start", { channel_id: channelId }).catch(() => {});
    },
    stop() {
      if (sentAt.current === Number.NEGATIVE_INFINITY) return;
      sentAt.current = Number.NEGATIVE_INFINITY;
      live.command("typing:stop", { channel_id: channelId }).catch(() => {});
    },
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the field unmounts
  useEffect(() => () => typing.stop(), []);
  return typing;
}

import { useEffect, useRef } from "react";
import { useParley } from "../session/parley-context.ts";

/** The minimum interval between two typing events. */
const AGAIN_MS = 3_000;

/** Reports that the user is typing, in a channel or in a thread of it. Failures are ignored. */
export function useTyping(channelId: number, rootId: number | null): { tell(): void; stop(): void } {
  const { live } = useParley();
  const place = { channel_id: channelId, ...(rootId === null ? {} : { thread_root_id: rootId }) };
  const sentAt = useRef(Number.NEGATIVE_INFINITY);
  const typing = {
    tell() {
      if (performance.now() - sentAt.current < AGAIN_MS) return;
      sentAt.current = performance.now();
      live.command("typing:start", place).catch(() => {});
    },
    stop() {
      if (sentAt.current === Number.NEGATIVE_INFINITY) return;
      sentAt.current = Number.NEGATIVE_INFINITY;
      live.command("typing:stop", place).catch(() => {});
    },
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the field unmounts
  useEffect(() => () => typing.stop(), []);
  return typing;
}

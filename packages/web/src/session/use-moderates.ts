import { useStore } from "../state/store.ts";
import { useLevel, useParley } from "./parley-context.ts";

/** True if the user moderates the channel, by their role in it or by their level on the site; the server decides in the end. */
export function useModerates(channelId: number | undefined): boolean {
  const { channels } = useStore(useParley().channels.view);
  const role = channels.find(({ id }) => id === channelId)?.my_role;
  const level = useLevel();
  return role === "owner" || role === "admin" || level >= 1;
}

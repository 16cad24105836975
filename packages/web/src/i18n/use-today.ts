import { useSyncExternalStore } from "react";

/** Returns the first moment of the current day, in milliseconds; the component is drawn again when the next one begins. */
export const useToday = (): number => useSyncExternalStore(subscribe, startOfToday);

const startOfToday = (): number => new Date().setHours(0, 0, 0, 0);

function subscribe(changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    const tomorrow = new Date().setHours(24, 0, 0, 0);
    timer = setTimeout(() => {
      changed();
      wait();
    }, tomorrow - Date.now());
  };
  wait();
  return () => clearTimeout(timer);
}

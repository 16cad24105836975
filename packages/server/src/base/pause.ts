/**
 * Resolves after that many milliseconds. `unref`: a process that has nothing else to do ends meanwhile, as it should
 * where the pause only limits how long something else is awaited.
 */
export function pause(ms: number, { unref = false }: { unref?: boolean } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (unref) timer.unref();
  });
}

/** Above this, what was read and written is collected: an import may take 256 MiB in all (protocol §14.1). */
const COLLECT_FROM = 190 * 1024 * 1024;
/** The process must grow by this before the next collection: what is alive cannot be collected. */
const STEP = 12 * 1024 * 1024;

/**
 * Returns a function to call after each batch. It runs the garbage collector when the process has grown: the runtime's own
 * collector lets the texts of many batches pile up while the machine has memory.
 */
export function smallHeap(): () => void {
  let from = COLLECT_FROM;
  return () => {
    if (process.memoryUsage.rss() < from) return;
    Bun.gc(true);
    from = Math.max(COLLECT_FROM, process.memoryUsage.rss() + STEP);
  };
}

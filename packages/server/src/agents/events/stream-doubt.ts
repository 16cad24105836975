import type { AppContext } from "../../context.ts";
import { lastGoodAt, onDoubt } from "../../realtime/doubt.ts";

/** How often a stream in doubt asks the database for what it was not sent. */
const AGAIN_MS = 1_000;

/** A stream that can recover messages which the broker may have lost. */
interface Doubtful {
  /** The topics that the stream listens to. */
  topics(): string[];
  /** From now on the stream's position claims nothing that was published after this time. */
  hold(at: number): void;
  /** Sends what the database has and the stream has not sent. */
  reread(isOver: boolean): Promise<void>;
  /** The position may claim everything again. */
  release(): void;
}

/**
 * Keeps an agent's event stream complete while the broker may lose messages: it reads the database every second, and
 * once more when the doubt is over. Returns a function that ends it.
 */
export function guardAgainstDoubt(ctx: AppContext, stream: Doubtful): () => void {
  let isEnded = false;
  let isRunning = false;
  /** Increases with every report, so that a doubt that lasted no time is noticed. */
  let reports = 0;
  let wake = () => {};
  const isDoubtful = () => stream.topics().some((topic) => ctx.broker.isDoubtful(topic));
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** Returns true if everything that was published before the last report is sent. */
  const pass = async (): Promise<boolean> => {
    const before = reports;
    const isOver = !isDoubtful();
    try {
      await stream.reread(isOver);
    } catch (err) {
      ctx.log.warn({ err }, "reading what an event stream may have missed failed");
      return false;
    }
    return isOver && before === reports && !isDoubtful();
  };
  const run = async () => {
    while (!isEnded && !(await pass())) await pause(AGAIN_MS);
    isRunning = false;
    if (!isEnded) stream.release();
  };
  const report = (topic: string | null) => {
    if (topic !== null && !stream.topics().includes(topic)) return;
    reports += 1;
    stream.hold(lastGoodAt(ctx));
    if (isRunning) wake();
    else {
      isRunning = true;
      void run();
    }
  };

  const stop = onDoubt(ctx, report);
  // A stream that begins in doubt has received no report.
  if (ctx.cluster !== null && isDoubtful()) report(null);
  return () => {
    isEnded = true;
    stop();
    wake();
  };
}

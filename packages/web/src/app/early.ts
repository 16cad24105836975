import { CHANNELS_PATH, type EarlyAnswers, pagePath } from "../state/early.ts";
import { recentChannels } from "../state/recent-channels.ts";
import { parseRoute } from "../state/route.ts";

/** The chunks that the first messages need, which the application would load only once it runs. */
declare const PARLEY_PRELOADED: readonly string[];

/** The application asks again when this time is over. */
const TIMEOUT_MS = 15_000;

const answers: EarlyAnswers = new Map();

function ask(path: string): void {
  const answer = fetch(path, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  // The application sees the failure if it takes the answer.
  answer.catch(() => {});
  answers.set(path, answer);
}

// Other paths are those of links to log in or to set up with, which show no channel.
if (location.pathname === "/") {
  const { page, slug, threadId, messageId } = parseRoute(location.hash);
  ask(CHANNELS_PATH);
  // The start page shows the channel that was open last.
  const channel = slug?.toLowerCase() ?? recentChannels()[0];
  if (page === "channel" && channel !== undefined) ask(pagePath(channel, threadId === null ? messageId : null));
}
globalThis.parleyEarly = answers;
for (const href of PARLEY_PRELOADED) {
  document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
}

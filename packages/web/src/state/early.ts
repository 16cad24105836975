/**
 * Requests that the page sends before the application's script has loaded. `app/early.ts`, a script of its own of
 * one kilobyte, sends them; the application takes the answers instead of asking again.
 */

/** Answers on their way, by path and query. */
export type EarlyAnswers = Map<string, Promise<Response>>;

declare global {
  var parleyEarly: EarlyAnswers | undefined;
}

/** How long the application may take an answer. Later it would be older than what events have reported since. */
const KEPT_MS = 5_000;

/** The path and query that the application asks for, written exactly as the client writes them. */
export const CHANNELS_PATH = "/api/channels";
/** `channel`: an id or a slug. */
export const pagePath = (channel: number | string, around: number | null = null): string =>
  `/api/messages?limit=50${around === null ? "" : `&around=${around}`}&threads=collapse&channel_id=${encodeURIComponent(channel)}`;

const CHANNEL_ID = /(?<=[?&]channel_id=)\d+$/;

/**
 * Returns a `fetch` that takes each early answer once, if it is asked for within seconds. `slugOf` returns the slug of a
 * channel: the early script knows a channel by its address.
 */
export function fetchWithEarly(slugOf: (channelId: number) => string | undefined): typeof fetch {
  const answers = globalThis.parleyEarly ?? new Map<string, Promise<Response>>();
  setTimeout(() => answers.clear(), KEPT_MS);
  const take = (url: string): Promise<Response> | undefined => {
    const path = url.slice(location.origin.length);
    const byId = [path, path.replace(CHANNEL_ID, (id) => encodeURIComponent(slugOf(Number(id)) ?? id))];
    const key = byId.find((each) => answers.has(each));
    if (key === undefined) return undefined;
    const answer = answers.get(key);
    answers.delete(key);
    return answer;
  };
  const early = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    (answers.size > 0 && init?.method === "GET" ? take(String(input)) : undefined) ?? fetch(input, init);
  return early as typeof fetch;
}

/** True if the list of channels is on its way. */
export const isListEarly = (): boolean => globalThis.parleyEarly?.has(CHANNELS_PATH) === true;

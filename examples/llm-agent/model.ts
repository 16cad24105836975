/** A model behind an OpenAI-compatible address. */
export interface ModelOptions {
  /** The address up to `/chat/completions`. */
  baseUrl: string;
  apiKey: string;
  model: string;
}

export interface Turn {
  role: "system" | "user" | "assistant";
  content: string;
}

const TRIES = 5;
const CALL_MS = 180_000;
/** A model that asks for a longer pause than this is not waited for. */
const PAUSE_MAX_MS = 30_000;

/**
 * Asks the model, and returns its text piece by piece, as soon as there is a first one. Until then it retries what can pass: no answer,
 * 429 and 5xx. Throws when it gives up.
 */
export async function ask(
  { baseUrl, apiKey, model }: ModelOptions,
  messages: readonly Turn[],
): Promise<AsyncGenerator<string, void>> {
  for (let tried = 1; ; tried += 1) {
    const response = await fetch(`${baseUrl.replace(/\/$/, "")}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages, stream: true }),
      signal: AbortSignal.timeout(CALL_MS),
    }).catch((error: Error) => error);
    const failure = response instanceof Error ? response.message : response.ok ? null : `HTTP ${response.status}`;
    if (failure === null) return begun(piecesOf(response as Response));
    const passes = response instanceof Error || response.status === 429 || response.status >= 500;
    const pause = pauseMs(response, tried);
    if (!passes || tried === TRIES || pause > PAUSE_MAX_MS) throw new Error(`The model did not answer: ${failure}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function pauseMs(response: Response | Error, tried: number): number {
  const asked = response instanceof Error ? null : response.headers.get("retry-after");
  const seconds = asked === null ? Number.NaN : Number(asked);
  return Number.isFinite(seconds) ? seconds * 1_000 : 500 * 2 ** tried * Math.random();
}

interface Chunk {
  choices?: { delta?: { content?: string | null }; message?: { content?: string | null } }[];
}

/** Waits for the first piece. */
async function begun(pieces: AsyncGenerator<string, void>): Promise<AsyncGenerator<string, void>> {
  const first = await pieces.next();
  if (first.done) throw new Error("The model answered without a text.");
  return (async function* () {
    yield first.value;
    yield* pieces;
  })();
}

/** Yields the text of a response: server-sent events, or one JSON object from a model that does not stream. */
async function* piecesOf(response: Response): AsyncGenerator<string, void> {
  const isStreamed = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  for await (const chunk of isStreamed ? chunksOf(response) : [(await response.json()) as Chunk]) {
    const [choice] = chunk.choices ?? [];
    const text = choice?.delta?.content ?? choice?.message?.content ?? "";
    if (text !== "") yield text;
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Chunk, void> {
  let rest = "";
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.startsWith("data:") ? line.slice(5).trim() : "";
      if (data !== "" && data !== "[DONE]") yield JSON.parse(data) as Chunk;
    }
  }
}

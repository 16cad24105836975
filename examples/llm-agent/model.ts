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
const CALL_MS = 60_000;
/** A model that asks for a longer pause than this is not waited for. */
const PAUSE_MAX_MS = 30_000;

/** Asks the model and returns its text. Retries what can pass: no answer, 429 and 5xx. Throws when it gives up. */
export async function ask({ baseUrl, apiKey, model }: ModelOptions, messages: readonly Turn[]): Promise<string> {
  for (let tried = 1; ; tried += 1) {
    const response = await fetch(`${baseUrl.replace(/\/$/, "")}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages }),
      signal: AbortSignal.timeout(CALL_MS),
    }).catch((error: Error) => error);
    const failure = response instanceof Error ? response.message : response.ok ? null : `HTTP ${response.status}`;
    if (failure === null) return textOf((await (response as Response).json()) as Completion);
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

interface Completion {
  choices?: { message?: { content?: string | null } }[];
}

function textOf(answer: Completion): string {
  const text = answer.choices?.[0]?.message?.content?.trim() ?? "";
  if (text === "") throw new Error("The model answered without a text.");
  return text;
}

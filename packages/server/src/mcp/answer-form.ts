/** The media types in which MCP answers: one JSON document, or server-sent events. */
export interface Forms {
  json: boolean;
  events: boolean;
}

const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream";

/** Returns the forms that a request accepts (RFC 9110, 12.5.1); without the header both. */
export function acceptedForms(request: Request): Forms {
  const header = request.headers.get("accept");
  if (header === null || header.trim() === "") return { json: true, events: true };
  const ranges = header
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([type]) => type);
  const accepts = (type: string) => ["*/*", type, `${type.split("/", 1)[0]}/*`].some((range) => ranges.includes(range));
  return { json: accepts(JSON_TYPE), events: accepts(EVENTS_TYPE) };
}

/**
 * Returns the request for the library, which serves only clients that name both forms. It takes the body as it was
 * parsed.
 */
export const acceptingBoth = (request: Request): Request => {
  const headers = new Headers(request.headers);
  headers.set("accept", `${JSON_TYPE}, ${EVENTS_TYPE}`);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
};

/** Returns the library's answer in a form that the client accepts. Errors about parameters get one line of text. */
export async function inAcceptedForm(response: Response, forms: Forms): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith(EVENTS_TYPE) && response.body !== null) {
    if (forms.events) return new Response(response.body.pipeThrough(plainEvents()), response);
    const messages = messagesIn(await response.text());
    return Response.json(messages.length === 1 ? messages[0] : messages, { status: response.status });
  }
  if (!forms.json && forms.events && response.ok && type.startsWith(JSON_TYPE)) {
    const messages = [(await response.json()) as unknown].flat();
    const events = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join("");
    return new Response(events, { status: response.status, headers: { "content-type": EVENTS_TYPE } });
  }
  return response;
}

const DATA = "data: ";

const messagesIn = (events: string): unknown[] =>
  events
    .split("\n")
    .flatMap((line) => (line.startsWith(DATA) ? [JSON.parse(withPlainErrors(line.slice(DATA.length)))] : []));

/** Rewrites the messages in a stream of events. The library writes each as one line. */
function plainEvents(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let begun = "";
  const rewrite = (line: string) => (line.startsWith(DATA) ? DATA + withPlainErrors(line.slice(DATA.length)) : line);
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
      begun = lines.pop() ?? "";
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.map((line) => `${rewrite(line)}\n`).join("")));
    },
    flush(controller) {
      if (begun !== "") controller.enqueue(encoder.encode(rewrite(begun)));
    },
  });
}

const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;

interface Issue {
  path: (string | number)[];
  message: string;
}

/**
 * The library answers parameters of the wrong form with the dump of its validator, for some methods as an internal error.
 * Returns the message with what is wrong in one line, and the code for invalid parameters.
 */
function withPlainErrors(json: string): string {
  if (!json.includes('"error":{')) return json;
  const message = JSON.parse(json) as { error?: { code: number; message: string } };
  const { error } = message;
  if (error?.code !== INTERNAL_ERROR && error?.code !== INVALID_PARAMS) return json;
  const issues = issuesIn(error.message);
  if (issues === null) return json;
  const text = issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  return JSON.stringify({
    ...message,
    error: { ...error, code: INVALID_PARAMS, message: `Invalid parameters: ${text}` },
  });
}

function issuesIn(text: string): Issue[] | null {
  const [dump] = /\[\s*\{.*\}\s*\]$/s.exec(text) ?? [];
  try {
    const issues = JSON.parse(dump ?? "") as Issue[];
    return issues.every(({ path, message }) => Array.isArray(path) && typeof message === "string") ? issues : null;
  } catch {
    // The text is meant for people.
    return null;
  }
}

import { largeGarbage } from "../../base/large-garbage.ts";
import type { AppContext } from "../../context.ts";
import { limitSubject } from "../connections/address.ts";
import type { Exchange } from "../exchange.ts";
import { type Answer, ReadyJson, type Route } from "../route.ts";
import { accepts, compressed, isCompressible } from "./compressed.ts";
import { LARGE, largeAnswers } from "./large-answers.ts";
import { completeResponse, jsonResponse } from "./respond.ts";

/** Length in characters from which an answer counts as garbage: more than a full page of ordinary messages. */
const GARBAGE_FROM = 160 * 1024;
/** Bytes that an answer leaves for each of its characters: read, joined, wrapped and encoded. */
const GARBAGE_BYTES = 12;

/** The answer to a request, before it is sent. */
export interface Observed {
  route: Route;
  request: Request;
  status: number;
  /** The body, if the handler left its serialization to the pipeline. */
  json?: string;
  /** The whole response, if it is an error or the handler made it. */
  response?: Response;
}

/** Sees every answer of a route before it is sent, as tests do. It must not read the body of a response itself. */
export type AnswerObserver = (answer: Observed) => void;

/** Makes the response to a request from what the handler returned: serialized, and compressed if the client accepts it. */
export function finish(
  ctx: AppContext,
  route: Route,
  exchange: Exchange,
  answer: Answer,
  observe: AnswerObserver | undefined,
): Response {
  const { request } = exchange;
  if (answer instanceof Response) {
    observe?.({ route, request, status: answer.status, response: answer });
    return completeResponse(ctx, request, exchange, answer);
  }
  const ready =
    answer instanceof ReadyJson
      ? answer
      : new ReadyJson(JSON.stringify({ success: true, ...answer }), route.status ?? 200);
  observe?.({ route, request, status: ready.status, json: ready.json });
  if (!isCompressible(ready.json)) return jsonResponse(ctx, request, exchange, ready.status, ready.json);
  if (ready.json.length >= GARBAGE_FROM && !ready.isCounted) {
    ready.isCounted = true;
    largeGarbage(ctx.root).note(GARBAGE_BYTES * ready.json.length);
  }
  const isCompressed = request.method !== "HEAD" && accepts(request, "gzip");
  const body = isCompressed ? compressed(ready) : ready.json;
  const sent = body.length < LARGE ? body : inPieces(route, exchange, body);
  const response = jsonResponse(ctx, request, exchange, ready.status, sent);
  if (isCompressed) response.headers.set("content-encoding", "gzip");
  response.headers.append("vary", "accept-encoding");
  return response;
}

/**
 * Returns the body of a large answer as a stream. HEAD needs only the length, and all readers of a document share one
 * text that Bun does not copy.
 */
function inPieces<Body extends string | Uint8Array>(
  route: Route,
  exchange: Exchange,
  body: Body,
): Body | ReadableStream<Uint8Array> {
  const { ctx, request } = exchange;
  if (request.method === "HEAD" || route.auth === "open") return body;
  return largeAnswers(ctx.root).body(request, limitSubject(exchange.address), body);
}

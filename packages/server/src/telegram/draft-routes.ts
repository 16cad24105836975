import { StreamAppendBody, StreamFinishBody, StreamParams } from "@parley/protocol/streams";
import { Id } from "@parley/protocol/values";
import { Type } from "typebox";
import { appendToStream } from "../agents/streams/append-stream.ts";
import { finishedJson } from "../agents/streams/stream-answers.ts";
import { finish } from "../agents/streams/streams.service.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { STORED_MAX } from "./text/stored-max.ts";

const Text = Type.String({ maxLength: STORED_MAX });

/** `appendToStream` with its terms and errors, for longer texts. */
export function longAppend({ scope, rates, errors, answers, documentedActs }: Route): Route {
  return route({
    name: "appendToTelegramDraft",
    method: "POST",
    path: "/api/agenthub/streams/:stream_id/append",
    summary: "Append to a draft of the Telegram door.",
    tag: "Telegram",
    auth: "agent",
    ...(scope === undefined ? {} : { scope }),
    ...(rates === undefined ? {} : { rates }),
    documentedActs,
    errors,
    answers,
    params: StreamParams,
    body: Type.Object({ ...StreamAppendBody.properties, delta: Type.Optional(Text) }),
    handle: ({ ctx, caller, params, body }) => appendToStream(ctx, caller, params.stream_id, body, STORED_MAX),
  });
}

/** `finishStream` with its terms and errors, for longer texts and with what the message answers. */
export function longFinish({ scope, errors, answers, documentedActs }: Route): Route {
  return route({
    name: "finishTelegramDraft",
    method: "POST",
    path: "/api/agenthub/streams/:stream_id/finish",
    summary: "Finish a draft of the Telegram door.",
    tag: "Telegram",
    auth: "agent",
    ...(scope === undefined ? {} : { scope }),
    documentedActs,
    errors,
    answers,
    params: StreamParams,
    body: Type.Object({
      ...StreamFinishBody.properties,
      message: Text,
      reply_to_id: Type.Optional(Id),
    }),
    async handle({ ctx, caller, params, body: { reply_to_id: replyToId, ...body } }) {
      const finished = await finish(ctx, caller, params.stream_id, body, { replyToId, contentMax: STORED_MAX });
      return new ReadyJson(finishedJson(finished), 200);
    },
  });
}

import { StreamAppendBody, StreamFinishBody, StreamParams } from "@parley/protocol/streams";
import { Id } from "@parley/protocol/values";
import { Type } from "typebox";
import { appendToStream } from "../agents/streams/append-stream.ts";
import { finishedJson } from "../agents/streams/stream-answers.ts";
import { finish } from "../agents/streams/streams.service.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { STORED_MAX } from "./text/stored-max.ts";
import { termsOf } from "./twin-terms.ts";

const Text = Type.String({ maxLength: STORED_MAX });

/** `appendToStream` for longer texts. */
export const longAppend = (twin: Route): Route =>
  route({
    ...termsOf(twin),
    name: "appendToTelegramDraft",
    auth: "agent",
    params: StreamParams,
    body: Type.Object({ ...StreamAppendBody.properties, delta: Type.Optional(Text) }),
    handle: ({ ctx, caller, params, body }) => appendToStream(ctx, caller, params.stream_id, body, STORED_MAX),
  });

/** `finishStream` for longer texts, and with what the message answers. */
export const longFinish = (twin: Route): Route =>
  route({
    ...termsOf(twin),
    name: "finishTelegramDraft",
    auth: "agent",
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

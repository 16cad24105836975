import type { CommandData } from "@parley/protocol/realtime";
import { speakerOf } from "../agents/speaker.ts";
import { appendToStream } from "../agents/streams/append-stream.ts";
import { startStream } from "../agents/streams/start-stream.ts";
import { finishedJson, startedFields } from "../agents/streams/stream-answers.ts";
import { cancel, finish } from "../agents/streams/streams.service.ts";
import type { Call } from "./call.ts";

/** Begins a stream in the name that the agent sends under. */
export async function startOnSocket(call: Call, data: CommandData<"stream:start">): Promise<void> {
  const { ctx, agent } = call;
  const agent_name = await speakerOf(ctx, agent.agentId, data.agent_name);
  const started = await startStream(ctx, agent, { ...data, agent_name });
  call.ack(JSON.stringify({ success: true, ...startedFields(started) }));
}

export async function appendOnSocket(call: Call, { stream_id, ...piece }: CommandData<"stream:append">): Promise<void> {
  call.ack(JSON.stringify({ success: true, ...(await appendToStream(call.ctx, call.agent, stream_id, piece)) }));
}

export async function finishOnSocket(call: Call, { stream_id, ...body }: CommandData<"stream:finish">): Promise<void> {
  call.ack(finishedJson(await finish(call.ctx, call.agent, stream_id, body)));
}

export async function cancelOnSocket(call: Call, { stream_id }: CommandData<"stream:cancel">): Promise<void> {
  await cancel(call.ctx, call.agent, stream_id);
  call.ack(JSON.stringify({ success: true, stream_id, state: "cancelled" }));
}

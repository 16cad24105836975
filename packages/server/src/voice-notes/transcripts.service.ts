import type { FileRecord } from "@parley/protocol/files";
import { TRANSCRIPT_MAX } from "@parley/protocol/voice-limits";
import type { Transcript, TranscriptBody } from "@parley/protocol/voice-notes";
import { ownNameOf } from "../accounts/names/agent-names.ts";
import { audit } from "../audit/audit.ts";
import { isoTime } from "../base/iso-time.ts";
import { isBlank } from "../base/visible-text.ts";
import { isByLevel, roleIn } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { appendEvent, tryLockChannel } from "../event-log/events.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { readableFile } from "../files/access.ts";
import { changeVoice, fileRecord } from "../files/files.service.ts";
import { decide } from "../http/acts/act.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { hasLevel, MODERATOR } from "../http/site-levels.ts";
import { isAsking } from "../messages/cards/changes.ts";
import { chargeEdit, pursesOf } from "../messages/edit-budget.ts";
import { changeStored, messageChanged, storedMessage } from "../messages/message-hooks.ts";
import { checkMayEdit, isForwarded, isOwn, readableMessage } from "../messages/messages.service.ts";

type Caller = UserIdentity | AgentIdentity;

/** A voice note of a message, as both are in the transaction. */
interface Noted {
  row: MessageRow;
  transcript: Transcript | null;
  /** Code points of the transcripts of the message's other files. */
  others: number;
}

/**
 * Gives a voice note its words (protocol §13.18). Its sender may, and any agent that may write where it is; the sender may
 * also replace those of an agent.
 * Errors: those of `readableFile` and `checkMayEdit`, `budget_exhausted`, `voice_note_not_sent`, `not_a_voice_note`, `forbidden`,
 * `transcript_taken`, `forward_not_editable`, `message_has_interaction`, `invalid_request`.
 */
export async function setTranscript(
  ctx: AppContext,
  caller: Caller,
  fileId: number,
  { text, language = null }: TranscriptBody,
): Promise<FileRecord> {
  if (isBlank(text)) throw wrongText("has no words");
  const { row, channel } = await messageOf(ctx, caller, fileId);
  await decide(ctx, caller, (ctx, caller) => checkMayWrite(ctx, caller, row.id), channel.id);
  if (caller.kind === "user" && !isOwn(row, caller)) throw fail("forbidden");
  const agent =
    caller.kind === "agent" && !isOwn(row, caller)
      ? { agent_id: caller.agentId, agent_name: await ownNameOf(ctx, caller.agentId) }
      : { agent_id: null, agent_name: null };
  const place = { fileId, messageId: row.id };
  await change(ctx, caller, { channel, ...place }, async (_, { row, transcript, others }) => {
    const isSender = isOwn(row, caller);
    if (isAsking(row)) throw fail("message_has_interaction");
    if (isSender && isForwarded(row)) throw fail("forward_not_editable");
    if (transcript !== null && !isSender && transcript.agent_id !== agent.agent_id) throw fail("transcript_taken");
    if (others + [...text].length > TRANSCRIPT_MAX)
      throw wrongText(`is too long: the transcripts of a message have ${TRANSCRIPT_MAX} characters together`);
    const isSame = transcript?.text === text && transcript.language === language;
    if (isSame && transcript.agent_id === agent.agent_id) return transcript;
    return { text, language, ...agent, created_at: isoTime(ctx.clock.now()) };
  });
  return fileRecord(ctx, caller, fileId);
}

const wrongText = (message: string) => fail("invalid_request", { details: [{ path: "text", message }] });

/**
 * Removes the words of a voice note. Allowed for its sender, the agent that wrote them, the channel's admins and
 * moderators.
 * Errors: those of `readableFile`, `voice_note_not_sent`, `not_a_voice_note`, `transcript_not_found`, `forbidden`.
 */
export async function removeTranscript(ctx: AppContext, caller: Caller, fileId: number): Promise<FileRecord> {
  const { row, channel } = await messageOf(ctx, caller, fileId);
  const byLevel = await decide(ctx, caller, (ctx, caller) => checkMayRemove(ctx, caller, row.id), channel.id);
  const place = { fileId, messageId: row.id };
  await change(ctx, caller, { channel, ...place }, async (ctx, { row, transcript }) => {
    if (transcript === null) throw fail("transcript_not_found");
    if (caller.kind === "agent" && !isOwn(row, caller) && transcript.agent_id !== caller.agentId)
      throw fail("forbidden");
    if (byLevel && caller.kind === "user") await audit(ctx, caller, "transcript_remove", `message:${row.id}`);
    return null;
  });
  return fileRecord(ctx, caller, fileId);
}

/** Checks that the caller may read the message and write where it is. Errors: those of `readableMessage` and `checkMayEdit`. */
async function checkMayWrite(ctx: AppContext, caller: Caller, messageId: number): Promise<void> {
  const { channel } = await readableMessage(ctx, caller, messageId);
  await checkMayEdit(ctx, caller, channel);
}

/**
 * Returns true if the caller may do so only by their site level. An agent may remove what it wrote. Errors: those of
 * `readableMessage`, `forbidden`.
 */
async function checkMayRemove(ctx: AppContext, caller: Caller, messageId: number): Promise<boolean> {
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  if (caller.kind === "agent" || isOwn(row, caller)) return false;
  const byLevel = isByLevel(await roleIn(ctx, caller, channel));
  if (byLevel && !hasLevel(caller, MODERATOR)) throw fail("forbidden");
  return byLevel;
}

/** Returns the message that shows a voice note. Errors: those of `readableFile`, `voice_note_not_sent`, `not_a_voice_note`. */
async function messageOf(ctx: AppContext, caller: Caller, fileId: number) {
  const file = await readableFile(ctx, caller, fileId);
  if (file.voice === null) throw fail("not_a_voice_note");
  if (file.message_id === null) throw fail("voice_note_not_sent");
  return readableMessage(ctx, caller, file.message_id);
}

/**
 * Changes a transcript under the lock of the channel's row: `decideWords` sees the message as it is then. Words that an
 * agent writes count as an edit of its own. Errors: those of `decideWords`, `file_not_found`, `budget_exhausted`.
 */
function change(
  ctx: AppContext,
  caller: Caller,
  { channel, fileId, messageId }: { channel: Channel; fileId: number; messageId: number },
  decideWords: (ctx: AppContext, noted: Noted) => Promise<Transcript | null>,
): Promise<void> {
  return transact(ctx, async (ctx) => {
    const purses = await pursesOf(ctx, caller);
    if (!(await tryLockChannel(ctx, channel.id))) throw fail("file_not_found");
    const before = await storedMessage(ctx, messageId);
    if (before === undefined || before.deleted_at !== null || before.files === null) throw fail("file_not_found");
    const records = JSON.parse(before.files) as FileRecord[];
    const voice = records.find(({ file_id }) => file_id === fileId)?.voice;
    if (voice === undefined) throw fail("file_not_found");
    const others = records.filter(({ file_id }) => file_id !== fileId);
    const transcript = await decideWords(ctx, {
      row: before,
      transcript: voice.transcript,
      others: others.reduce((sum, { voice }) => sum + [...(voice?.transcript?.text ?? "")].length, 0),
    });
    if (transcript === voice.transcript) return;
    if (transcript !== null && caller.kind === "agent")
      await chargeEdit(ctx, purses, { agentId: caller.agentId, channelId: channel.id, content: transcript.text });
    const changed = { ...voice, transcript };
    const files = JSON.stringify(records.map((each) => (each.file_id === fileId ? { ...each, voice: changed } : each)));
    await changeVoice(ctx, fileId, changed);
    await changeStored(ctx, messageId, { files });
    const row = { ...before, files };
    await messageChanged(ctx, row);
    await appendEvent(ctx, channel.id, "message:update", { message: { row, channelSlug: channel.slug } });
  });
}

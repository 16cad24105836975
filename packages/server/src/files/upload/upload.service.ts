import { createHash } from "node:crypto";
import type { FileRecord } from "@parley/protocol/files";
import { lockAccount } from "../../accounts/erase/erase.ts";
import { ownNameOf } from "../../accounts/names/agent-names.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { type Claim, dropAnswer, keepAnswer, keptAnswer, lastingKey } from "../../http/idempotency.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { ReadyJson } from "../../http/route.ts";
import { blankFilm } from "../../media/metadata/blank-film.ts";
import * as blobs from "../blobs.store.ts";
import * as store from "../files.store.ts";
import { type PictureFile, pictureFile } from "../pictures/picture-file.ts";
import { removeUnsent } from "../removal.ts";
import { scanNew } from "../scanning.ts";
import { recordOf } from "../sending.ts";
import { newKey } from "../storage/file-storage.ts";
import { fileStorage } from "../storage/open-storage.ts";
import { storedVoice, typeOfVoice } from "../voice-note.ts";
import { fileName } from "./file-name.ts";
import { type FoundType, fileTypeOf, isAllowed, opaque } from "./file-type.ts";
import { type ReceivedForm, receiveForm } from "./receive-form.ts";
import { hashFile, UploadFolder } from "./upload-folder.ts";
import { checkRoom, quotaReached, takeRoom } from "./upload-room.ts";
import { inUploadSlot } from "./upload-slots.ts";

const MIB = 1024 * 1024;

const UPLOAD = { method: "POST", path: "/api/files" } as const;

type Uploader = UserIdentity | AgentIdentity;

/** Bytes that are ready to be stored. */
interface Blob {
  sha256: string;
  size: number;
  path: string;
  /** Where the storage keeps them; known once they have a reference. */
  key: string;
}

/** A file whose bytes and previews are temporary files. */
export interface Prepared {
  type: FoundType;
  main: Blob;
  small: Blob | null;
  large: Blob | null;
  width: number | null;
  height: number | null;
}

/**
 * Receives a file and stores it; nobody but its uploader can read it until it is sent. When it fails, nothing is left.
 * Errors: those of `receiveForm` and `pictureFile`, `quota_reached`, `storage_full`, `type_not_allowed`,
 * `not_a_voice_note`, `file_blocked`, `overloaded`, `idempotency_key_invalid`, `idempotency_conflict`.
 */
export async function uploadFile(
  ctx: AppContext,
  caller: Uploader,
  { request, address }: { request: Request; address: string },
): Promise<ReadyJson> {
  try {
    return await receiveFile(ctx, caller, request, address);
  } catch (error) {
    if (error instanceof AppError) ctx.metrics.fileRefused(error.code);
    throw error;
  }
}

function receiveFile(ctx: AppContext, caller: Uploader, request: Request, address: string): Promise<ReadyJson> {
  const key = lastingKey(request);
  return inUploadSlot(ctx, caller.key, address, async (upload) => {
    await checkRoom(ctx, upload, Number(request.headers.get("content-length") ?? 0));
    const storage = fileStorage(ctx);
    await using folder = new UploadFolder(storage.incoming, Buffer.from(ctx.clock.random(12)).toString("hex"));
    const takeRoomFor = (bytes: number) => takeRoom(ctx, upload, bytes);
    const limits = { path: folder.original, limit: ctx.config.fileMaxMib * MIB, takeRoom: takeRoomFor };
    const form = await slowly(ctx, "upload", () => receiveForm(ctx, request, upload, limits));
    const claim = key === null ? null : { actorKey: caller.key, key, hash: digestOf(form) };
    const before = claim === null ? null : await keptAnswer(ctx, claim);
    if (before !== null) return before;
    const name = fileName(form.sentName);
    const prepared = await prepare(ctx, caller, folder, form, name);
    const status = await slowly(ctx, "scan", () => scanNew(ctx, prepared.main.path, name));
    // Awaited here: the temporary files are there until then.
    return await keep(ctx, caller, prepared, { name, form, status, claim });
  });
}

/** Returns the digest by which repetitions of an upload are compared. */
const digestOf = ({ sha256, sentName, declared, altText, voice }: ReceivedForm): string =>
  createHash("sha256")
    .update(JSON.stringify([sha256, sentName, declared, altText, ...(voice === null ? [] : [voice])]))
    .digest("hex");

/**
 * Finds the type, cleans a picture and makes its previews. Errors: `type_not_allowed`, those of `pictureFile` and
 * `typeOfVoice`.
 */
export async function prepare(
  ctx: AppContext,
  { key: account }: { key: string },
  folder: UploadFolder,
  form: ReceivedForm,
  name: string,
): Promise<Prepared> {
  const found = await fileTypeOf(form.head, { ...form, name });
  const picture =
    found.kind === "image"
      ? await slowly(ctx, "picture", () => pictureFile(ctx, account, folder, folder.original))
      : null;
  const film = blankFilm(found.found, folder.original);
  // What only looks like a picture or a film is served as bytes.
  const isOther = (found.kind === "image" && picture === null) || film === "too_much";
  const shown = isOther ? opaque(found) : found;
  const type = form.voice === null ? shown : typeOfVoice(shown, folder.original);
  if (!isAllowed(ctx.config.fileTypes, type.found))
    throw fail("type_not_allowed", { details: { type: type.found, allowed: ctx.config.fileTypes } });
  if (picture === null) {
    const sha256 = film !== false ? (await hashFile(folder.original)).sha256 : form.sha256;
    const main = { sha256, size: form.size, path: folder.original, key: sha256 };
    return { type, main, small: null, large: null, width: null, height: null };
  }
  return preparedPicture(type, picture);
}

async function preparedPicture(type: FoundType, { path, small, large, width, height }: PictureFile): Promise<Prepared> {
  const blobAt = async (path: string): Promise<Blob> => {
    const facts = await hashFile(path);
    return { ...facts, path, key: facts.sha256 };
  };
  return {
    type,
    main: await blobAt(path),
    small: small === null ? null : await blobAt(small),
    large: large === null ? null : await blobAt(large),
    width,
    height,
  };
}

/**
 * Stores the row first, with its references to the bytes, so that no sweep removes bytes that are being stored; then the
 * bytes; then the file counts as stored.
 */
async function keep(
  ctx: AppContext,
  caller: Uploader,
  prepared: Prepared,
  facts: { name: string; form: ReceivedForm; status: "ready" | "scanning"; claim: Claim | null },
): Promise<ReadyJson> {
  const { main, small, large, type } = prepared;
  const row = {
    user_id: caller.kind === "user" ? caller.userId : null,
    agent_id: caller.kind === "agent" ? caller.agentId : null,
    uploader_name: caller.kind === "user" ? caller.username : await ownNameOf(ctx, caller.agentId),
    name: facts.name,
    mime_type: type.mimeType,
    kind: type.kind,
    sha256: main.sha256,
    size_bytes: main.size,
    width: prepared.width,
    height: prepared.height,
    alt_text: facts.form.altText,
    small_sha256: small?.sha256 ?? null,
    large_sha256: large?.sha256 ?? null,
    status: "storing" as const,
    channel_id: null,
    message_id: null,
    created_at: ctx.clock.now(),
    kept_until: null,
    voice: facts.form.voice === null ? null : storedVoice(facts.form.voice),
  };
  const parts = [main, small, large].filter((blob) => blob !== null);
  const { claim, status } = facts;
  const id = await transact(ctx, (ctx) => reserve(ctx, caller, row, parts));
  const file: FileRecord = recordOf({ ...row, id, status });
  const answer = new ReadyJson(JSON.stringify({ success: true, file }), 201);
  try {
    for (const { key, path } of parts) await slowly(ctx, "storage", () => fileStorage(ctx).store(key, path));
    await transact(ctx, async (ctx) => {
      if (!(await store.moveStatus(ctx.db, id, "storing", status))) throw fail("overloaded", { retryAfter: 1 });
      if (claim !== null && !(await keepAnswer(ctx, UPLOAD, claim, answer))) throw new TwinFirst();
    });
    ctx.metrics.fileUploaded(file.size_bytes);
    return answer;
  } catch (error) {
    // Needs nobody's right. If the commit was in doubt, the key would lead to a file that is gone.
    await transact(ctx.root, async (ctx) => {
      await removeUnsent(ctx, [id]);
      if (claim !== null) await dropAnswer(ctx, claim, answer);
    });
    const first = error instanceof TwinFirst && claim !== null ? await keptAnswer(ctx, claim) : null;
    if (first === null) throw error;
    return first;
  }
}

/** Thrown where another request with the same key has stored its file meanwhile. */
class TwinFirst extends Error {}

/**
 * Takes the quota and the references, and inserts the row. Sets the keys of the parts.
 * Errors: `quota_reached`, `storage_full`, `session_required`.
 */
async function reserve(
  ctx: AppContext,
  caller: Uploader,
  row: Omit<store.FileRow, "id">,
  parts: readonly Blob[],
): Promise<number> {
  const { fileQuotaMib, filesTotalMib } = ctx.config;
  // Locked: an erasure either precedes this, or removes the file in its steps.
  if (caller.kind === "user" && !(await lockAccount(ctx, caller.userId))) throw fail("session_required");
  const quota = fileQuotaMib * MIB;
  if (!(await blobs.addUsage(ctx.db, caller.key, row.size_bytes, quota)))
    throw quotaReached(quota, await blobs.usageOf(ctx.db, caller.key));
  let added = 0;
  for (const blob of [...parts].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))) {
    const reference = await blobs.addReference(ctx.db, blob, newKey(ctx.clock, blob.sha256));
    blob.key = reference.key;
    if (reference.isOnly) added += blob.size;
  }
  const total = filesTotalMib === null ? null : filesTotalMib * MIB;
  if (added > 0 && !(await blobs.addUsage(ctx.db, blobs.ALL, added, total)))
    throw fail("storage_full", { retryAfter: 60 });
  return store.insertFile(ctx.db, row);
}

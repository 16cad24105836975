import type { Clock } from "../../clock.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { beforeCommit, beforeReturn } from "../../db/transact.ts";
import { settledCommits } from "./confirmations.ts";
import { type ControlMessage, controlMessages } from "./control-messages.ts";
import { type ControlKind, type ControlSubjects, subjectText } from "./control-subjects.ts";

/** Messages that take a right away: the change is answered when no node acts on that right any more. */
const REVOCATIONS: ReadonlySet<ControlKind> = new Set<ControlKind>([
  "session_ended",
  "user_sessions_ended",
  "user_suspended",
  "key_revoked",
  "agent_changed",
  "access_ended",
  "channel_closed",
]);
/** Rows in one statement. */
const ROWS_MAX = 500;

/** The messages of a transaction, in order. */
interface Outbox {
  messages: ControlMessage[];
  isRevocation: boolean;
}

const outboxes = new WeakMap<Db, Outbox>();

/**
 * Announces a change to every node, this one included, after the commit of its transaction or when the outcome of the
 * commit is unknown: handlers read the database again. In a cluster the message is a row of `control_log` in that
 * transaction, so no node can miss it; a transaction that takes a right away (`isRevocation`, or by its kind) returns
 * when all nodes have handled its messages, after a second at the latest.
 *
 * In a cluster only `events_in_doubt` may be published outside a transaction.
 */
export function publishControl<K extends ControlKind>(
  ctx: AppContext,
  kind: K,
  subject: ControlSubjects[K],
  { isRevocation = REVOCATIONS.has(kind) }: { isRevocation?: boolean } = {},
): void {
  const { root } = ctx;
  const message: ControlMessage = { kind, subject: subjectText(kind, subject) };
  if (ctx.cluster !== null && kind !== "events_in_doubt") keep(ctx, message, isRevocation);
  else if (isRevocation && ctx.db.isTransaction) beforeReturn(ctx.db, () => settledCommits(root));
  ctx.afterCommit(
    () => controlMessages(root).publish(message),
    // Not as the row: that one is handled once it is visible, if the commit succeeded.
    () => controlMessages(root).publish({ kind, subject: message.subject }),
  );
}

/** Adds the message to the rows that the transaction writes before its commit. */
function keep(ctx: AppContext, message: ControlMessage, isRevocation: boolean): void {
  const { db, root } = ctx;
  let outbox = outboxes.get(db);
  if (outbox === undefined) {
    const made: Outbox = { messages: [], isRevocation: false };
    outbox = made;
    outboxes.set(db, made);
    beforeCommit(db, () => write(db, ctx.clock, made));
    beforeReturn(db, async () => {
      if (made.isRevocation) await controlMessages(root).confirmed(made.messages);
    });
  }
  outbox.messages.push(message);
  outbox.isRevocation ||= isRevocation;
}

async function write(db: Db, clock: Clock, { messages, isRevocation }: Outbox): Promise<void> {
  const created_at = clock.now();
  for (let from = 0; from < messages.length; from += ROWS_MAX) {
    const some = messages.slice(from, from + ROWS_MAX);
    const rows = await db
      .insertInto("control_log")
      .values(some.map(({ kind, subject }) => ({ kind, subject, created_at })))
      .returning("id")
      .execute();
    some.forEach((message, at) => {
      message.id = Number(rows[at]?.id);
      message.isAwaited = isRevocation;
    });
  }
}

/**
 * Handles a kind for the life of the server, whether this process, another node or the command line announced it. A
 * change that takes a right away is answered when the handlers' promises are settled, too; other results are ignored.
 */
export function onControl<K extends ControlKind>(
  ctx: AppContext,
  kind: K,
  handler: (subject: ControlSubjects[K]) => unknown,
): void {
  controlMessages(ctx).on(kind, handler);
}

/**
 * Calls `forget` when this node may have missed control messages for good: it must not trust what they keep right in
 * memory.
 */
export function onControlLost(ctx: AppContext, forget: () => void): void {
  controlMessages(ctx).onLost(forget);
}

/**
 * Records a control message for running servers, from a process without a broker: the command line (protocol §8:
 * received within 2 s).
 */
export async function recordControl<K extends ControlKind>(
  db: Db,
  clock: Clock,
  kind: K,
  subject: ControlSubjects[K],
): Promise<void> {
  await db
    .insertInto("control_log")
    .values({ kind, subject: subjectText(kind, subject), created_at: clock.now() })
    .execute();
}

import { RATES } from "@parley/protocol/limits";
import { CLOSE } from "@parley/protocol/realtime";
import { type LargeGarbage, largeGarbage } from "../base/large-garbage.ts";
import { andThen } from "../base/maybe-promise.ts";
import type { AppError } from "../errors.ts";
import { errorBody, fail } from "../errors.ts";
import { admit, assertIdentified, trusted } from "../http/admission.ts";
import { toAppError } from "../http/answers/respond.ts";
import { Call, type GatewayParts } from "./call.ts";
import type { Command } from "./commands.ts";
import type { Connection } from "./connection.ts";
import { errorFrame, isBadFrame, readFrame } from "./frames.ts";

/** Consecutive bad frames that end a connection (protocol §8). */
const BAD_FRAMES_MAX = 10;
/** Frames of one socket that may queue behind the command in progress. */
const WAITING_MAX = 256;
/**
 * With more unread bytes than this, a client's next command waits until they are read: many simultaneous resumes must
 * not exhaust memory.
 */
const HOLD_BYTES = 256 * 1024;

/** Bytes that a frame leaves for each of its characters: received, decoded and parsed. */
const GARBAGE_BYTES = 12;

/**
 * Turns frames into commands. The commands of one socket start in frame order, and each starts once the previous one can no longer be overtaken (for a send: when it is in the append queue).
 */
export class Dispatcher {
  readonly #parts: GatewayParts;
  readonly #garbage: LargeGarbage;
  readonly #commands: ReadonlyMap<string, Command>;

  constructor(parts: GatewayParts, commands: ReadonlyMap<string, Command>) {
    this.#parts = parts;
    this.#garbage = largeGarbage(parts.ctx.root);
    this.#commands = commands;
  }

  receive(connection: Connection, raw: string | Uint8Array): void {
    if (!connection.isOpen || !this.countFrame(connection)) return;
    if (connection.busy || connection.waiting !== null || isHeld(connection)) this.#wait(connection, raw);
    else this.#start(connection, raw);
  }

  /** Counts a frame of any kind. Closes a connection that sends too many, and returns false. */
  countFrame(connection: Connection): boolean {
    const pace = this.#parts.ctx.limiter.takeHere(RATES.frames, connection.pace);
    if (pace === null) connection.close(CLOSE.tooFast, "too many frames");
    else connection.pace = pace;
    return pace !== null;
  }

  /** Resumes queued commands after the socket has flushed its buffer. */
  drained(connection: Connection): void {
    if (!connection.busy) this.next(connection);
  }

  /** Starts the next queued command, if any. */
  readonly next = (connection: Connection): void => {
    connection.busy = false;
    const { waiting } = connection;
    if (waiting === null || isHeld(connection)) return;
    const raw = waiting.shift();
    if (waiting.length === 0) connection.waiting = null;
    if (raw !== undefined && connection.isOpen) this.#start(connection, raw);
  };

  #wait(connection: Connection, raw: string | Uint8Array): void {
    connection.waiting ??= [];
    if (connection.waiting.length >= WAITING_MAX) connection.close(CLOSE.tooFast, "too many concurrent commands");
    else connection.waiting.push(typeof raw === "string" ? raw : new Uint8Array(0));
  }

  #start(connection: Connection, raw: string | Uint8Array): void {
    connection.busy = true;
    this.#garbage.note(GARBAGE_BYTES * raw.length);
    const incoming = readFrame(raw);
    const call = new Call(this.#parts, connection, incoming.ref, this.next);
    try {
      if ("error" in incoming) throw incoming.error;
      const command = this.#commands.get(incoming.event);
      if (command === undefined) throw fail("unknown_command");
      const { ctx, trust } = this.#parts;
      const terms = connection.identity.kind === "agent" ? command.agent : command.user;
      const perform = () =>
        andThen(admit(ctx, terms, call, assertIdentified), () => {
          // The socket may have closed meanwhile.
          if (!connection.isOpen) return;
          command.validator.check(incoming.data);
          connection.badFrames = 0;
          return command.handle(call, incoming.data);
        });
      const outcome = trusted(trust, false, perform);
      if (outcome === undefined) call.release();
      else outcome.then(() => call.release()).catch((error: unknown) => this.#refuse(call, error));
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  #refuse(call: Call, thrown: unknown): void {
    const { connection, ref } = call;
    const error: AppError = toAppError(this.#parts.ctx, thrown, `socket ${connection.id}`);
    connection.send(errorFrame(ref, errorBody(error)));
    this.#parts.ctx.metrics.framesSent(1);
    if (isBadFrame(error) && ++connection.badFrames >= BAD_FRAMES_MAX) {
      connection.close(CLOSE.badFrames, "too many bad frames");
    }
    call.release();
  }
}

function isHeld(connection: Connection): boolean {
  return connection.socket !== null && connection.socket.getBufferedAmount() > HOLD_BYTES;
}

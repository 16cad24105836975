import type { ErrorBody } from "@parley/protocol/errors";
import { ParleyError } from "../errors.ts";

/** The server's answer to a command, as received. */
export type Answer = { event: "ack"; data: unknown } | { event: "error"; data: ErrorBody };

export interface PendingCommand {
  event: string;
  data: unknown;
  /** True if it may be sent again when its answer was lost. */
  idempotent: boolean;
  /** True if it belongs to one socket and is meaningless on the next. */
  bound: boolean;
  /** Runs in the turn in which the answer arrived, so before anything pushed after it. */
  answered(answer: Answer): void;
  failed(error: ParleyError): void;
}

/** Unanswered commands, in the order they were given. */
export class PendingCommands {
  readonly #commands = new Map<number, PendingCommand & { sent: boolean }>();
  #refs = 0;

  /** Returns the command's ref. */
  add(command: PendingCommand): number {
    this.#refs += 1;
    this.#commands.set(this.#refs, { ...command, sent: false });
    return this.#refs;
  }

  remove(ref: number): void {
    this.#commands.delete(ref);
  }

  /** Returns the frame to send, once; null if the command is finished or already sent. */
  take(ref: number): string | null {
    const command = this.#commands.get(ref);
    if (command === undefined || command.sent) return null;
    command.sent = true;
    return JSON.stringify({ event: command.event, data: command.data, ref });
  }

  /** Refs of commands not yet sent on this socket, in order. */
  unsent(): number[] {
    return [...this.#commands].filter(([, { sent }]) => !sent).map(([ref]) => ref);
  }

  answer(ref: unknown, answer: Answer): void {
    const command = typeof ref === "number" ? this.#commands.get(ref) : undefined;
    if (command === undefined) return;
    this.remove(ref as number);
    command.answered(answer);
  }

  /** Handles the loss of the socket: sent commands that are not idempotent fail; the rest wait for the next socket. */
  lost(): void {
    for (const [ref, command] of [...this.#commands]) {
      if (command.bound || (command.sent && !command.idempotent)) {
        this.remove(ref);
        const text = `The connection broke before ${command.event} was answered; it may have been carried out.`;
        command.failed(new ParleyError("connection_lost", text));
      } else command.sent = false;
    }
  }

  /** Fails all commands, because there will be no next socket. */
  fail(error: ParleyError): void {
    const commands = [...this.#commands.values()];
    this.#commands.clear();
    for (const command of commands) command.failed(error);
  }
}

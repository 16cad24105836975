import type { ErrorBody } from "@parley/protocol/errors";
import { ParleyError } from "./errors.ts";

/** The server's answer to a command, as its frame came. */
export type Answer = { event: "ack"; data: unknown } | { event: "error"; data: ErrorBody };

export interface PendingCommand {
  event: string;
  data: unknown;
  /** May it be sent again when its answer was lost? */
  repeatable: boolean;
  /** Does it belong to one socket, and mean nothing on the next? */
  bound: boolean;
  /** Runs in the turn in which the answer came, so before anything that was pushed after it. */
  answered(answer: Answer): void;
  failed(error: ParleyError): void;
}

/** Commands without an answer, in the order they were given. */
export class PendingCommands {
  readonly #commands = new Map<number, PendingCommand & { sent: boolean }>();
  #refs = 0;

  /** Its ref. */
  add(command: PendingCommand): number {
    this.#refs += 1;
    this.#commands.set(this.#refs, { ...command, sent: false });
    return this.#refs;
  }

  remove(ref: number): void {
    this.#commands.delete(ref);
  }

  /** The frame to send, once; null when the command is over or on its way already. */
  take(ref: number): string | null {
    const command = this.#commands.get(ref);
    if (command === undefined || command.sent) return null;
    command.sent = true;
    return JSON.stringify({ event: command.event, data: command.data, ref });
  }

  /** Refs of what has not been sent on this socket, in order. */
  unsent(): number[] {
    return [...this.#commands].filter(([, { sent }]) => !sent).map(([ref]) => ref);
  }

  answer(ref: unknown, answer: Answer): void {
    const command = typeof ref === "number" ? this.#commands.get(ref) : undefined;
    if (command === undefined) return;
    this.remove(ref as number);
    command.answered(answer);
  }

  /** The socket is gone: what was sent and cannot be repeated fails; the rest waits for the next socket. */
  lost(): void {
    for (const [ref, command] of [...this.#commands]) {
      if (command.bound || (command.sent && !command.repeatable)) {
        this.remove(ref);
        const text = `The connection broke before ${command.event} was answered; it may have been carried out.`;
        command.failed(new ParleyError("connection_lost", text));
      } else command.sent = false;
    }
  }

  /** There will be no next socket. */
  fail(error: ParleyError): void {
    const commands = [...this.#commands.values()];
    this.#commands.clear();
    for (const command of commands) command.failed(error);
  }
}

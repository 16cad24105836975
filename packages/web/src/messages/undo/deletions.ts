import type { ChatMessage } from "@parley/protocol/models";
import { ParleyError } from "@parley/sdk";
import { createElement } from "react";
import type { Parley } from "../../session/parley.ts";
import { readStored, storedNames, writeStored } from "../../state/local-storage.ts";
import { retryUntilDone } from "../../state/retry.ts";
import { isShortcut } from "../../ui/shortcuts.ts";
import { UndoNotice } from "./undo-notice.tsx";

/** A deletion can be undone for this long, and longer while its notice is pointed at or focused. */
export const UNDO_MS = 6_000;
/** After the notice was left, at least this long. */
const LEFT_MS = 2_000;
/** Another page sends a stored deletion this long after it was due, unless the page in which it began has done so. */
const GRACE_MS = 10_000;
/** A deletion whose notice is pointed at is due then, should the page die meanwhile. */
const HELD_MS = 60_000;

interface Waiting {
  id: number;
  self: string;
  notice: number;
  timer: ReturnType<typeof setTimeout>;
}

/** Usernames contain no colons. */
const prefixOf = (self: string): string => `delete:${self}:`;

/**
 * The user's deletions of their own messages, which can be undone for some seconds: until then the message is hidden in
 * this page alone. They are sent earlier if the page goes away or the user logs out. Each is stored until the server has
 * answered, so another page sends it if this one could not.
 */
export class Deletions {
  readonly #parley: Parley;
  readonly #waiting = new Map<number, Waiting>();
  /** Those of an earlier page that this one has taken over. */
  readonly #resumed = new Set<string>();

  constructor(parley: Parley) {
    this.#parley = parley;
    addEventListener("pagehide", () => void this.#flush());
    addEventListener("keydown", (event) => this.#keyed(event));
    parley.finish = () => this.#flush();
  }

  /** Hides the message, shows the notice with **Undo**, and deletes the message when the time is over. */
  start({ id }: ChatMessage, self: string): void {
    const notice = this.#parley.notices.show(createElement(UndoNotice, { id, deletions: this }));
    this.#hide(id, true);
    this.#waiting.set(id, { id, self, notice, timer: this.#due({ id, self }, UNDO_MS) });
  }

  /** Shows the message again and focuses it. */
  undo(id: number): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    writeStored(prefixOf(waiting.self) + id, null);
    this.#hide(id, false);
    document.querySelector<HTMLElement>(`[data-id="${id}"]`)?.focus();
  }

  /** Stops the clock of a deletion while its notice is used. */
  hold(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    writeStored(prefixOf(waiting.self) + id, String(Date.now() + HELD_MS));
  }

  /** Starts the clock again. */
  letGo(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    waiting.timer = this.#due(waiting, LEFT_MS);
  }

  /** Sends what an earlier page of this user has stored and not sent, when that page has had its time. */
  resume(self: string): void {
    for (const name of storedNames(prefixOf(self))) {
      const id = Number(name.slice(prefixOf(self).length));
      if (this.#waiting.has(id) || this.#resumed.has(name)) continue;
      this.#resumed.add(name);
      const wait = Math.min(Number(readStored(name)) + GRACE_MS - Date.now(), HELD_MS);
      setTimeout(() => {
        this.#resumed.delete(name);
        if (this.#parley.self === self && readStored(name) !== null) this.#send(id, self);
      }, wait);
    }
  }

  #due({ id, self }: Pick<Waiting, "id" | "self">, ms: number): Waiting["timer"] {
    writeStored(prefixOf(self) + id, String(Date.now() + ms));
    return setTimeout(() => {
      this.#take(id);
      this.#send(id, self);
    }, ms);
  }

  /** Returns a deletion that can no longer be undone from now on; undefined: it is not waiting. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    this.#parley.notices.dismiss(waiting.notice);
    return waiting;
  }

  /** Without a connection it tries until there is one. A refusal shows the message again. */
  #send(id: number, self: string): void {
    const { client } = this.#parley;
    const done = () => writeStored(prefixOf(self) + id, null);
    const remove = async () => {
      if (this.#parley.self !== self) return;
      await client.messages.delete(id);
      done();
    };
    retryUntilDone(remove, (error) => {
      if (!(error instanceof ParleyError) || error.status < 400 || error.status >= 500) return;
      if (error.status === 401 || error.status === 429) return;
      done();
      if (error.code === "message_not_found") return;
      this.#hide(id, false);
      this.#parley.showError(error);
    });
  }

  /** Sends all waiting deletions by requests that outlive the page. A deletion stays stored until it has succeeded. */
  async #flush(): Promise<void> {
    const sent = [...this.#waiting.values()].map(async ({ id, self }) => {
      this.#take(id);
      const request = { method: "DELETE", keepalive: true, credentials: "include" } as const;
      const { ok } = await fetch(`/api/messages/${id}`, request);
      if (ok) writeStored(prefixOf(self) + id, null);
    });
    await Promise.allSettled(sent);
  }

  #keyed(event: KeyboardEvent): void {
    const last = [...this.#waiting.keys()].at(-1);
    const isText = event.target instanceof Element && event.target.matches("input, textarea, [contenteditable]");
    if (last === undefined || isText || !isShortcut(event, "undoDelete")) return;
    event.preventDefault();
    this.undo(last);
  }

  #hide(id: number, isHidden: boolean): void {
    this.#parley.withdrawn.change((all) => new Set(isHidden ? [...all, id] : [...all].filter((each) => each !== id)));
  }
}

const made = new WeakMap<Parley, Deletions>();

/** Returns the page's deletions. */
export function deletionsOf(parley: Parley): Deletions {
  const known = made.get(parley) ?? new Deletions(parley);
  made.set(parley, known);
  return known;
}

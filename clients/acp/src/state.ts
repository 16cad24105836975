import type { StateFolder } from "../../shared/src/state-folder.ts";
import type { FinalText } from "./answer.ts";

const FILE = "state.json";
const SESSIONS_MAX = 500;

/** A turn that has begun and whose item is not acknowledged yet. */
export interface StoredTurn {
  /** How many times it began. Each run asks anew, so its cards have other keys. */
  attempt: number;
  /** Questions that may still be open. */
  cards: number[];
  /** The last text of the answer, stored before it is sent. */
  final?: FinalText;
}

interface Content {
  url: string | null;
  /** The agent's own sessions, by place: where they work. */
  sessions: Record<string, { id: string; cwd: string }>;
  turns: Record<string, StoredTurn>;
}

/** What the program has to know after a crash. Every change is on the disk before the program goes on. */
export class State {
  readonly #folder: StateFolder;
  readonly #content: Content;

  constructor(folder: StateFolder) {
    this.#folder = folder;
    const stored = (folder.read(FILE) ?? {}) as Partial<Content>;
    this.#content = { url: stored.url ?? null, sessions: stored.sessions ?? {}, turns: stored.turns ?? {} };
  }

  get url(): string | null {
    return this.#content.url;
  }

  setUrl(url: string): void {
    if (this.#content.url === url) return;
    this.#content.url = url;
    this.#save();
  }

  session(key: string): { id: string; cwd: string } | null {
    return this.#content.sessions[key] ?? null;
  }

  setSession(key: string, session: { id: string; cwd: string }): void {
    const { sessions } = this.#content;
    delete sessions[key];
    sessions[key] = session;
    const [oldest] = Object.keys(sessions);
    if (Object.keys(sessions).length > SESSIONS_MAX && oldest !== undefined) delete sessions[oldest];
    this.#save();
  }

  turn(itemId: number): StoredTurn | null {
    return this.#content.turns[itemId] ?? null;
  }

  /** Notes that a turn begins, and returns which run of it this is: 0 is the first. */
  beginTurn(itemId: number): number {
    const attempt = (this.turn(itemId)?.attempt ?? -1) + 1;
    this.#content.turns[itemId] = { attempt, cards: [] };
    this.#save();
    return attempt;
  }

  changeTurn(itemId: number, change: Partial<StoredTurn>): void {
    this.#content.turns[itemId] = { attempt: 0, cards: [], ...this.turn(itemId), ...change };
    this.#save();
  }

  endTurn(itemId: number): void {
    if (this.turn(itemId) === null) return;
    delete this.#content.turns[itemId];
    this.#save();
  }

  #save(): void {
    this.#folder.write(FILE, this.#content);
  }
}

import type { EventData } from "@parley/protocol/events";
import type { Parley } from "../../session/parley.ts";
import { Store } from "../../state/store.ts";

/** How long a button waits for its bot. */
const WAIT_MS = 15_000;
/** How long a bot may answer (protocol §15.6). */
const ANSWER_MS = 10 * 60_000;

/** The buttons of menus that were pressed on this page and wait for their bots. */
export class MenuPresses {
  /** By the id of the message, the `action_id` of the button. */
  readonly waiting = new Store<ReadonlyMap<number, string>>(new Map());
  readonly #parley: Parley;
  /** The words around an alert, in the language in which the user pressed. */
  #words = { title: "", action: "" };
  /** When this page pressed, by the id of the message, epoch ms. Other pages of the user show no answers. */
  readonly #pressed = new Map<number, number>();

  constructor(parley: Parley) {
    this.#parley = parley;
    parley.live.onEvent((event) => {
      if (event.event === "interaction:answer") this.#take(event.data);
    });
  }

  /** Sends a press; its button waits until the bot answers, for 15 s at most. Errors: those of the server. */
  async press(
    messageId: number,
    { action_id, value = null }: { action_id: string; value?: string | null | undefined },
    { answer, dismiss }: { answer: string; dismiss: string },
  ): Promise<void> {
    this.#words = { title: answer, action: dismiss };
    this.#pressed.set(messageId, Date.now());
    this.waiting.change((all) => new Map(all).set(messageId, action_id));
    try {
      await this.#parley.client.interactions.press(messageId, { action_id, value });
    } catch (error) {
      this.#end(messageId, action_id);
      throw error;
    }
    setTimeout(() => this.#end(messageId, action_id), WAIT_MS);
  }

  #take({ interaction_id, text, alert }: EventData<"interaction:answer">): void {
    const at = this.#pressed.get(interaction_id);
    if (at === undefined || at + ANSWER_MS < Date.now()) return;
    const actionId = this.waiting.get().get(interaction_id);
    if (actionId !== undefined) this.#end(interaction_id, actionId);
    if (text === null) return;
    if (!alert) this.#parley.notices.say(text);
    else void this.#parley.confirm.ask({ ...this.#words, text, isStatement: true });
  }

  #end(messageId: number, actionId: string): void {
    this.waiting.change((all) => {
      if (all.get(messageId) !== actionId) return all;
      const others = new Map(all);
      others.delete(messageId);
      return others;
    });
  }
}

const ofPages = new WeakMap<Parley, MenuPresses>();

/** Returns the presses of a page, which begins to listen for answers when it first shows a menu. */
export function menuPresses(parley: Parley): MenuPresses {
  const known = ofPages.get(parley);
  if (known !== undefined) return known;
  const made = new MenuPresses(parley);
  ofPages.set(parley, made);
  return made;
}

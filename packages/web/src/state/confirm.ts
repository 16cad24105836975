import { Store } from "./store.ts";

/** A confirmation to ask for. */
export interface Question {
  title: string;
  /** The consequence. */
  text: string;
  /** The action, as the button names it: "Delete channel", never "OK". */
  action: string;
  /** True if there is nothing to decide: the text is shown until it is dismissed. */
  isStatement?: boolean;
}

/** A question that awaits its answer. */
export interface Asked extends Question {
  /** Unique, so that each question gets its own dialog, even while the previous one is closing. */
  readonly id: number;
  answer(isConfirmed: boolean): void;
}

/** Asks for confirmation before irreversible actions; `ConfirmDialog` shows the question. */
export class Confirm {
  readonly asked = new Store<Asked | null>(null);
  #count = 0;

  /** Resolves to true if the user confirms. A new question answers the previous one with no. */
  ask(question: Question): Promise<boolean> {
    this.asked.get()?.answer(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const asked: Asked = {
      ...question,
      id: ++this.#count,
      answer: (isConfirmed) => {
        if (this.asked.get() === asked) this.asked.set(null);
        resolve(isConfirmed);
      },
    };
    this.asked.set(asked);
    return promise;
  }
}

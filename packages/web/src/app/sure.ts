import { Store } from "./store.ts";

/** Something that is asked before it is done. */
export interface Question {
  title: string;
  /** What comes of it. */
  text: string;
  /** The act, as the button says it: "Delete channel", never "OK". */
  act: string;
}

/** A question that waits for its answer. */
export interface Asked extends Question {
  /** No other question has it: each is shown in a window of its own, also when the one before is just closing. */
  readonly id: number;
  answer(isSure: boolean): void;
}

/** Asks before what cannot be taken back; `SureDialog` shows it. */
export class Sure {
  readonly asked = new Store<Asked | null>(null);
  #count = 0;

  /** True when the person wants it done. Another question in between is a no to the one before. */
  ask(question: Question): Promise<boolean> {
    this.asked.get()?.answer(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const asked: Asked = {
      ...question,
      id: ++this.#count,
      answer: (isSure) => {
        if (this.asked.get() === asked) this.asked.set(null);
        resolve(isSure);
      },
    };
    this.asked.set(asked);
    return promise;
  }
}

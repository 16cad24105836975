/** English texts about what agents do. `zh.ts` has the same keys. */
export const EN_AT_WORK = {
  title: "Agents at work",
  none: "No agent works here now.",
  ended: "Ended work",
  untitled: "A message",
  /** By the state of a session; `time` is when it began. */
  states: {
    working: (time: string) => `Working since ${time}`,
    waiting: (time: string) => `Waiting since ${time}`,
    gone: (time: string) => `Not connected since ${time}`,
    done: (time: string) => `Done · ${time}`,
    failed: (time: string) => `Failed or stopped · ${time}`,
  },
  /** `people`: whom it asks; null: the reader, empty: not known. */
  waits: (people: string | null, time: string) => {
    if (people === null) return `Waits for you since ${time}`;
    return people === "" ? `Waits for an answer since ${time}` : `Waits for ${people} since ${time}`;
  },
  answer: "Answer",
  question: "Show the question",
  stop: "Stop",
  stopAgent: (name: string) => `Stop ${name}`,
  nothingToStop: (name: string) => `${name} does nothing here now.`,
  mayNotStop: (name: string) => `${name} could not be stopped. Only who asked it, its owner and admins may do that.`,
  /** Why a mention waits: its agent does something else. */
  busy: {
    working: (name: string, time: string) => `A message to ${name} waits: it has been at other work since ${time}:`,
    waiting: (name: string, time: string) =>
      `A message to ${name} waits: its other work has waited for an answer since ${time}:`,
  },
};

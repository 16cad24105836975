/** What the notice of a deletion needs of it. */
export interface Undoable {
  undo(id: number): void;
  /** Stops the clock. */
  hold(id: number): void;
  /** Starts it again. */
  letGo(id: number): void;
}

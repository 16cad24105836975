/** The part of a deletion that its notice uses. */
export interface Undoable {
  undo(id: number): void;
  /** Stops the clock. */
  hold(id: number): void;
  /** Starts it again. */
  letGo(id: number): void;
}

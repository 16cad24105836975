/** Ends the program: one sentence on standard error, and an exit code. */
export class Ending extends Error {
  readonly exitCode: number;

  constructor(text: string, exitCode = 1) {
    super(text);
    this.exitCode = exitCode;
  }
}

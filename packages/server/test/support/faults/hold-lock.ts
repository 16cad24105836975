/** A separate process that holds the write lock of a SQLite file, as a tool or a person with a shell might. */
export class LockHolder implements AsyncDisposable {
  readonly #process: Bun.Subprocess<"pipe", "pipe", "inherit">;

  private constructor(process: Bun.Subprocess<"pipe", "pipe", "inherit">) {
    this.#process = process;
  }

  /** Starts a process; resolves when it holds the lock. */
  static async take(path: string): Promise<LockHolder> {
    const script = `
      const { Database } = require("bun:sqlite");
      const database = new Database(process.argv[1]);
      database.run("pragma busy_timeout = 5000");
      database.run("begin exclusive");
      console.log("held");
      process.stdin.once("data", () => { database.run("commit"); process.exit(0); });`;
    const child = Bun.spawn([process.execPath, "-e", script, path], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const { value } = await child.stdout.getReader().read();
    if (new TextDecoder().decode(value).trim() !== "held") throw new Error("The lock was not taken.");
    return new LockHolder(child);
  }

  async release(): Promise<void> {
    this.#process.stdin.write("go\n");
    await this.#process.stdin.flush();
    await this.#process.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }
}

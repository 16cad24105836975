import type { Target } from "../target/target.ts";

/** Writes a file that is one JSON array, element by element. */
export class JsonList {
  readonly #write: (text: string) => Promise<void>;
  readonly #close: () => Promise<void>;
  #begin = "[\n";

  private constructor(write: (text: string) => Promise<void>, close: () => Promise<void>) {
    this.#write = write;
    this.#close = close;
  }

  static async begin(target: Target, name: string, options?: { isMain?: boolean }): Promise<JsonList> {
    const file = await target.file(name, options);
    return new JsonList(
      (text) => file.write(text),
      () => file.close(),
    );
  }

  async add(record: object): Promise<void> {
    await this.#write(this.#begin + JSON.stringify(record));
    this.#begin = ",\n";
  }

  async end(): Promise<void> {
    await this.#write(this.#begin === "[\n" ? "[]\n" : "\n]\n");
    await this.#close();
  }
}

import { OwnThread } from "../own-thread.ts";

/** Hashes at once: each takes 19 MiB and a core. */
export const PASSWORD_THREADS = 2;

/** Contract, section 1: argon2id, m = 19456 KiB, t = 2 (p = 1 is Bun's). */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** A password to be hashed or, with a hash, to be compared with it. */
interface Task {
  password: string;
  hash?: string;
}

const PROGRAM = `
function act({ password, hash }) {
  if (hash === undefined) return Bun.password.hashSync(password, ${JSON.stringify(ARGON2ID)});
  return Bun.password.verifySync(password, hash);
}
`;

/** Threads that hash passwords and nothing else, so that other work in Bun's pool cannot keep users from logging in. */
export class PasswordThreads {
  readonly #all = Array.from(
    { length: PASSWORD_THREADS },
    (_, at) => new OwnThread<Task, string | boolean>(`passwords ${at + 1}`, PROGRAM),
  );
  readonly #free = [...this.#all];

  /** Call it `PASSWORD_THREADS` times at once at most. */
  async hash(password: string): Promise<string> {
    return String(await this.#run({ password }));
  }

  /** Is this the password of that hash? The same number of calls at once. */
  async verify(password: string, hash: string): Promise<boolean> {
    return (await this.#run({ password, hash })) === true;
  }

  async #run(task: Task): Promise<string | boolean> {
    const thread = this.#free.pop();
    if (thread === undefined) throw new Error(`Only ${PASSWORD_THREADS} passwords are hashed at once.`);
    try {
      return await thread.run(task);
    } finally {
      this.#free.push(thread);
    }
  }

  /** Ends the threads; hashes under way are rejected. */
  end(): void {
    for (const thread of this.#all) thread.end();
  }
}

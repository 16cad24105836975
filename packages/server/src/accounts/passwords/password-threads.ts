import { OwnThread } from "../../base/own-thread.ts";

/** Concurrent hashes: each takes 19 MiB and a core. */
export const PASSWORD_THREADS = 2;

/** Protocol §1: argon2id, m = 19456 KiB, t = 2 (p = 1 is Bun's). */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** A password to hash or, if `hash` is given, to verify. */
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

/** What hashes and verifies passwords. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
}

/** Threads that only hash passwords, so that other work in Bun's pool cannot delay logins. */
export class PasswordThreads implements PasswordHasher {
  readonly #all = Array.from(
    { length: PASSWORD_THREADS },
    (_, at) => new OwnThread<Task, string | boolean>(`passwords ${at + 1}`, PROGRAM),
  );
  readonly #free = [...this.#all];

  /** Hashes a password. Allows at most `PASSWORD_THREADS` concurrent calls. */
  async hash(password: string): Promise<string> {
    return String(await this.#run({ password }));
  }

  /** Returns true if the password matches the hash. The same limit on concurrent calls applies. */
  async verify(password: string, hash: string): Promise<boolean> {
    return (await this.#run({ password, hash })) === true;
  }

  async #run(task: Task): Promise<string | boolean> {
    const thread = this.#free.pop();
    if (thread === undefined) throw new Error(`Only ${PASSWORD_THREADS} passwords can be hashed at once.`);
    try {
      return await thread.run(task);
    } finally {
      this.#free.push(thread);
    }
  }

  /** Ends the threads; pending hashes are rejected. */
  end(): void {
    for (const thread of this.#all) thread.end();
  }
}

import { limitSubject } from "../http/connections/address.ts";
import type { Connection } from "./connection.ts";

/** All connections of this node, indexed for lookup. */
export class Connections {
  readonly all = new Set<Connection>();
  /** Called when a connection has ended, or its user has. */
  onRemoved: ((connection: Connection) => void) | null = null;
  readonly #byUser = new Map<number, Connection[]>();
  readonly #byAddress = new Map<string, number>();

  add(connection: Connection): void {
    this.all.add(connection);
    const subject = limitSubject(connection.address);
    this.#byAddress.set(subject, (this.#byAddress.get(subject) ?? 0) + 1);
    this.addUser(connection);
  }

  remove(connection: Connection): void {
    if (!this.all.delete(connection)) return;
    const subject = limitSubject(connection.address);
    const left = (this.#byAddress.get(subject) ?? 0) - 1;
    if (left > 0) this.#byAddress.set(subject, left);
    else this.#byAddress.delete(subject);
    this.#dropUser(connection);
    this.onRemoved?.(connection);
  }

  /** Indexes a connection under its current user. */
  addUser(connection: Connection): void {
    const { userId } = connection;
    if (userId === null) return;
    const own = this.#byUser.get(userId);
    if (own === undefined) this.#byUser.set(userId, [connection]);
    else own.push(connection);
  }

  removeUser(connection: Connection): void {
    this.#dropUser(connection);
    this.onRemoved?.(connection);
  }

  #dropUser(connection: Connection): void {
    const { userId } = connection;
    if (userId === null) return;
    const own = this.#byUser.get(userId);
    const at = own?.indexOf(connection) ?? -1;
    if (own === undefined || at === -1) return;
    own.splice(at, 1);
    if (own.length === 0) this.#byUser.delete(userId);
  }

  /** Returns a copy, because callers may close connections while iterating. */
  ofUser(userId: number): Connection[] {
    return this.#byUser.get(userId)?.slice() ?? [];
  }

  countOfUser(userId: number): number {
    return this.#byUser.get(userId)?.length ?? 0;
  }

  countOfAddress(address: string): number {
    return this.#byAddress.get(limitSubject(address)) ?? 0;
  }
}

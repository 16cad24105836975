/** Without `readonly`. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Returns an object that has all fields of another one, as they are at any later time. The caller sets those that differ,
 * one by one: `Object.assign` and property descriptors cost a request several times as much.
 */
export const derived = <T extends object>(of: T): Writable<T> => Object.create(of);

/**
 * The columns of a table, separated by spaces, by what happens to them. Each column has a class:
 * - `keep`: it stays as it is.
 * - `null`: it becomes null where it concerns the person or the channel.
 * - `label`: the name of a deleted user replaces the person's.
 * - `delete`: a row in which it refers to the person is deleted. If such rows may stay, it has another class, too.
 * - every other key is the step that changes it.
 */
export type ColumnClasses = Readonly<Record<string, string>>;

/**
 * Says what is left of each table. Tests compare it with the columns of the database, and with what an erasure and a
 * purge do (`test/privacy/data-classes.test.ts`).
 */
export type DataClasses = Readonly<
  Record<
    string,
    {
      /** After a person was erased: by the steps of privacy/steps.ts, and by `closing`, which is `closeAccount`. */
      readonly erased: ColumnClasses;
      /**
       * After a channel was deleted and purged; a word if all columns of its rows have one class. Only tables without a
       * channel or a message may omit it, and keep everything.
       */
      readonly purged?: "keep" | "delete" | ColumnClasses;
    }
  >
>;

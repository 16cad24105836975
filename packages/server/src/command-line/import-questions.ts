import { createInterface } from "node:readline/promises";
import { counted } from "../base/counted.ts";
import type { PeopleMap } from "../imports/people-map.ts";
import { type ImportReport, manyBadMessages } from "../imports/report/report.ts";
import { CommandError, type Invocation } from "./command.ts";

/**
 * Returns what the person at the terminal must agree to before an import writes (protocol §14.4 to §14.8). `tooOld`: the
 * messages that the server's limit of age would remove.
 */
export function questionsOf(report: ImportReport, { used }: PeopleMap, tooOld: number): string[] {
  const closed = report.channels.filter(({ kind }) => kind !== "public");
  const messages = closed.reduce((sum, each) => sum + each.messages, 0);
  const bad = manyBadMessages(report);
  const admins = [...used.values()].filter(({ adminLevel }) => adminLevel !== null);
  const [first, ...more] = admins.map(({ username }) => username);
  return [
    ...(closed.length === 0
      ? []
      : [
          `This import takes ${counted(closed.length, "private channel or conversation", "private channels and conversations")} with ${counted(messages, "message")}. Only their members of the source will read them, and administrators, whose reading is audited. The people in them should know.`,
        ]),
    ...(first === undefined
      ? []
      : [
          `The messages of people of the source will be those of ${[first, ...more].join(", ")}, who ${more.length === 0 ? "is an administrator" : "are administrators"} here.`,
        ]),
    ...(tooOld === 0
      ? []
      : [
          `${counted(tooOld, "message")} of ${report.counts.messages.taken} would be removed within the hour, because PARLEY_RETENTION_DAYS limits their age.`,
        ]),
    ...(bad === null
      ? []
      : [`Something is wrong with ${counted(bad, "message")}, more than 1 % of all, which will be left out.`]),
  ];
}

/**
 * Asks each question, unless `--yes` answers them. Throws `CommandError` unless all are answered with yes; `discard` then
 * removes what was staged, because it has the words of people. `act`: what is not done then.
 */
export async function ask(
  call: Invocation,
  questions: readonly string[],
  discard: () => Promise<void>,
  act = "imported",
): Promise<void> {
  if (questions.length === 0 || call.values.yes === true) return;
  try {
    await askAll(call, questions, act);
  } catch (error) {
    await discard();
    throw error;
  }
}

async function askAll(call: Invocation, questions: readonly string[], act: string): Promise<void> {
  if (!call.stdin.isTTY)
    throw new CommandError(`${questions.join("\n")}\nAdd --yes if that is what you want. Nothing was ${act}.`);
  for (const question of questions) {
    call.err(`${question}\n`);
    using lines = createInterface({ input: call.stdin, output: process.stderr });
    const answer = await lines.question('Type "yes" to go on: ');
    if (answer.trim().toLowerCase() !== "yes") throw new CommandError(`Nothing was ${act}.`);
  }
}

import { realpathSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import { Ending } from "../../shared/src/ending.ts";

export const USAGE = `usage: parley-acp (--code <setup url> | --key-file <file> [--url <address>]) [options] -- <command of the agent>

  --code <setup url>    exchange this setup code for a key, and store the key
  --key-file <file>     the file that has the key, or that gets it
  --url <address>       the address of the server; it is remembered beside the key
  --name <name>         the agent's name, if the key has several
  --cwd <folder>        where the agent may work; may be repeated (default: this folder)
  --allow <who>         who may give it work: owner (default), members, or names, with commas between.
                        agent:<name> lets another agent
  --sessions <n>        conversations at the same time (default 4)
  --approvers <names>   who may give permissions (default: the agent's owner)
  --quorum <n>          how many of them must approve (default 1)
  --expires <seconds>   how long a permission may be given (default 3600)
  --cards <where>       thread (default), or direct: ask one person in the direct conversation with the agent,
                        where the channel's readers do not see what is asked
`;

/** Who may give the agent work: people by their authority, and people or agents by name. */
export interface Allowed {
  owner: boolean;
  members: boolean;
  /** In lower case. */
  people: ReadonlySet<string>;
  agents: ReadonlySet<string>;
}

export interface Options {
  code: string | undefined;
  keyFile: string | undefined;
  url: string | undefined;
  name: string | undefined;
  /** Real paths; the first is the default. */
  folders: readonly string[];
  allowed: Allowed;
  sessions: number;
  approvers: readonly string[];
  quorum: number;
  expiresIn: number;
  /** Whether permissions are asked for in a direct conversation instead of the thread. */
  cardsAreDirect: boolean;
  command: readonly string[];
}

/** Reads the command line. A key is never an option, because others on the machine can read command lines. */
export function readOptions(args: readonly string[]): Options {
  const end = args.indexOf("--");
  const values = valuesOf(end === -1 ? args : args.slice(0, end));
  const command = end === -1 ? [] : args.slice(end + 1);
  if (command.length === 0) throw new Ending(`Name the agent's command after --.\n\n${USAGE}`, 2);
  if (values.code === undefined && values["key-file"] === undefined)
    throw new Ending(`Give --code or --key-file.\n\n${USAGE}`, 2);
  const approvers = namesIn(values.approvers ?? []);
  const quorum = numberOf("--quorum", values.quorum ?? "1", 1, 10);
  return {
    code: values.code,
    keyFile: values["key-file"],
    url: values.url?.replace(/\/+$/, ""),
    name: values.name,
    folders: (values.cwd ?? ["."]).map(folderOf),
    allowed: allowedBy(values.allow ?? ["owner"]),
    sessions: numberOf("--sessions", values.sessions ?? "4", 1, 64),
    approvers,
    quorum,
    expiresIn: numberOf("--expires", values.expires ?? "3600", 60, 604_800),
    cardsAreDirect: cardsAreDirect(values.cards ?? "thread", Math.max(approvers.length, quorum)),
    command,
  };
}

function valuesOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  const texts = { type: "string", multiple: true } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        code: text,
        "key-file": text,
        url: text,
        name: text,
        cwd: texts,
        allow: texts,
        sessions: text,
        approvers: texts,
        quorum: text,
        expires: text,
        cards: text,
      },
    }).values;
  } catch (error) {
    throw new Ending(`${error instanceof Error ? error.message : error}\n\n${USAGE}`, 2);
  }
}

/** Reads `--cards`. `people` is how many are asked at once: a direct conversation has one person. */
function cardsAreDirect(where: string, people: number): boolean {
  if (where === "thread") return false;
  if (where !== "direct") throw new Ending("--cards takes thread or direct.", 2);
  if (people > 1) throw new Ending("--cards direct asks one person: give one of --approvers, and no --quorum.", 2);
  return true;
}

function folderOf(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Said below.
  }
  throw new Ending(`The folder ${path} does not exist.`, 2);
}

const namesIn = (lists: readonly string[]): string[] =>
  lists
    .flatMap((list) => list.split(","))
    .map((name) => name.trim().replace(/^@/, ""))
    .filter((name) => name !== "");

/** `owner` and `members` are words here. A person with such a name is written `@owner`. */
function allowedBy(lists: readonly string[]): Allowed {
  const words = lists
    .flatMap((list) => list.split(","))
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "");
  const [agents, others] = [words.filter((word) => AGENT.test(word)), words.filter((word) => !AGENT.test(word))];
  return {
    owner: words.includes("owner"),
    members: words.includes("members"),
    people: new Set(namesIn(others.filter((word) => word !== "owner" && word !== "members"))),
    agents: new Set(agents.map((word) => word.replace(AGENT, ""))),
  };
}

const AGENT = /^agent:@?/;

function numberOf(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Ending(`${option} takes a number from ${least} to ${most}.`, 2);
}

import { CommandError, type Surroundings } from "./command.ts";

/** Reads a new password: from a terminal twice, without echo, else the first line of standard input. */
export async function askNewPassword({ stdin, err }: Surroundings): Promise<string> {
  if (!stdin.isTTY) return firstLine(stdin);
  const password = await askHidden(stdin, err, "Password: ");
  const again = await askHidden(stdin, err, "Again: ");
  if (password !== again) throw new CommandError("The passwords differ. Nothing was changed.");
  return password;
}

async function firstLine(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  const [line = ""] = Buffer.concat(chunks).toString("utf8").split(/\r?\n/, 1);
  if (line === "")
    throw new CommandError("There is no password. Write it to standard input, or run the command in a terminal.");
  return line;
}

const ENTER = /[\r\n]/;
const BACKSPACE = /[\b\x7f]/;
const CTRL_C = "\x03";
const CTRL_D = "\x04";

/** Reads a line in raw mode, in which the terminal does not echo. */
function askHidden(stdin: NodeJS.ReadStream, err: (text: string) => void, question: string): Promise<string> {
  err(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.resume();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed: string[] = [];
  const onData = (text: string): void => {
    for (const symbol of text) {
      if (symbol === CTRL_C || symbol === CTRL_D) reject(new CommandError("Cancelled. Nothing was changed."));
      else if (ENTER.test(symbol)) resolve(typed.join(""));
      else if (BACKSPACE.test(symbol)) typed = typed.slice(0, -1);
      else typed.push(symbol);
    }
  };
  stdin.on("data", onData);
  return promise.finally(() => {
    stdin.off("data", onData);
    stdin.setRawMode(false);
    stdin.pause();
    err("\n");
  });
}

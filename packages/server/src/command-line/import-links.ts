import { counted } from "../base/counted.ts";
import { csvLine } from "../base/csv.ts";
import { isoTime } from "../base/iso-time.ts";
import { makeImportLinks } from "../imports/people/import-links.ts";
import { type Invocation, print, UsageError } from "./command.ts";
import { idIn, refusing } from "./imports.ts";
import { addressOf } from "./running-server.ts";
import { openWritingTool } from "./tool.ts";

const DAYS = 14;
const DAYS_MAX = 90;

/** Prints links with which people claim their accounts, as CSV. Without a terminal, it is the only way to get them. */
export async function importLinks(call: Invocation): Promise<number> {
  const importId = idIn(call);
  const days = call.values.days === undefined ? DAYS : Number(call.values.days);
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX)
    throw new UsageError(`--days <days> must be a whole number from 1 to ${DAYS_MAX}.`);
  await using tool = await openWritingTool(call);
  const origin = addressOf(tool.config);
  const made = await refusing(() => makeImportLinks(tool.ctx, importId, { days, origin }));
  const isJson = call.values.json === true;
  const links: { username: string; email: string | null; url: string }[] = [];
  let count = 0;
  if (!isJson) call.out(`${csvLine("username", "address", "url")}\r\n`);
  for await (const batch of made.batches) {
    count += batch.length;
    if (isJson) links.push(...batch);
    else call.out(batch.map(({ username, email, url }) => `${csvLine(username, email ?? "", url)}\r\n`).join(""));
  }
  const expires_at = isoTime(made.expiresAt);
  if (isJson) print(call, { import_id: importId, expires_at, links }, "");
  if (count === 0) {
    call.err("Nobody is waiting for a link.\n");
    return 0;
  }
  call.err(
    `${counted(count, "link")}. Each works once, until ${expires_at}. Send each only to its person: whoever has it gets the account. Earlier links of these people have ended.\n`,
  );
  if (tool.config.publicUrl === null) call.err(NO_PUBLIC_URL);
  return 0;
}

const NO_PUBLIC_URL =
  "Warning: these links lead to this machine only, because PARLEY_PUBLIC_URL is not set. Set it to the address of the server, and make new links.\n";

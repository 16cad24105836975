import type { MailHealthResponse } from "@parley/protocol/own-mail";
import { Mail } from "@parley/sdk/groups";
import { useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useParley } from "../session/parley-context.ts";

const EVERY_MS = 30_000;
/** A mail that has been due for longer waits for a mail server that does not take it. */
const STUCK_MS = 5 * 60_000;

/** A line about mails that do not get away; nothing while all is well. */
export function MailHealth() {
  const parley = useParley();
  const texts = useMailTexts();
  const [health, setHealth] = useState<MailHealthResponse | null>(null);
  useEffect(() => {
    const read = () => {
      // The charts above say that the server does not answer.
      const failed = () => setHealth(null);
      parley.client.group(Mail).health().then(setHealth, failed);
    };
    read();
    const timer = setInterval(read, EVERY_MS);
    return () => clearInterval(timer);
  }, [parley]);
  if (health === null) return null;
  const { waiting, oldest_due_at: oldest, last_problem: problem, failed } = health;
  const isStuck = oldest !== null && Date.now() - Date.parse(oldest) > STUCK_MS;
  if (!isStuck && failed === 0) return null;
  return (
    <p className="warning" role="status">
      {isStuck && texts.stuck(waiting, momentOf(oldest))} {isStuck && problem !== null && texts.reason(problem)}{" "}
      {failed > 0 && texts.failed(failed)}
    </p>
  );
}

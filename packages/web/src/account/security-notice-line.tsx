import type { SecurityNotice } from "@parley/protocol/accounts";
import { momentOf } from "../i18n/date-format.ts";
import { useSecurityTexts } from "../i18n/hooks/use-security-texts.ts";
import { deviceOf } from "./devices.ts";

/** A security notice: what happened, who did it, and when. */
export function SecurityNoticeLine({ notice }: { notice: SecurityNotice }) {
  const texts = useSecurityTexts();
  const { kind, actor, actor_username, created_at } = notice;
  const by = actor === "self" ? null : actor_username === null ? texts.byOperator : texts.by(actor_username);
  const details = [errorDetail(notice), by].filter((part) => part !== null);
  return (
    <span>
      {texts.kinds[kind]}
      <span className="muted">
        {details.map((part) => (
          <bdi key={part}>{part} · </bdi>
        ))}
        <time dateTime={created_at}>{momentOf(created_at)}</time>
      </span>
    </span>
  );
}

/** Returns the browser and network of a login, or the address of a wallet; null: no further details. */
function errorDetail({ kind, details }: SecurityNotice): string | null {
  const text = (name: string) => (typeof details[name] === "string" ? details[name] : null);
  if (kind === "new_device") {
    return [deviceOf(text("user_agent")), text("network")].filter((part) => part !== null).join(", ");
  }
  return text("address");
}

import { useTexts } from "../i18n/use-texts.ts";
import { avatarAddress, avatarKey } from "../model/profiles/avatars.ts";
import { useParley } from "../session/parley-context.ts";
import { useLookup } from "../state/lookup.ts";

/** Derives a colour from the name. */
function hueOf(name: string): number {
  let hue = 7;
  for (const char of name) hue = (hue * 31 + (char.codePointAt(0) ?? 0)) % 360;
  return hue;
}

/** Full-width letters, of which two do not fit. */
const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const initialsOf = (name: string): string =>
  [...name]
    .slice(0, WIDE.test(name) ? 1 : 2)
    .join("")
    .toUpperCase();

/** An avatar: the user's picture, or initials on the name's colour. Agents have a square one and no picture. */
export function Avatar({ name, isAgent, isSmall = false }: { name: string; isAgent: boolean; isSmall?: boolean }) {
  const version = useLookup(useParley().avatars, isAgent ? null : avatarKey(name));
  const shown = useLookup(useParley().profiles, isAgent ? null : avatarKey(name));
  const kinds = ["avatar", ...(isAgent ? ["agent"] : []), ...(isSmall ? ["small"] : [])];
  return (
    <span className={kinds.join(" ")} style={{ "--hue": hueOf(name) } as React.CSSProperties} aria-hidden="true">
      {initialsOf(shown?.display_name ?? name)}
      {/* Covers the initials, which stay visible until it has loaded. */}
      {version != null && <img key={version} src={avatarAddress(name, version)} alt="" draggable={false} />}
    </span>
  );
}

/**
 * A name chosen by a user, isolated so that its script's direction does not affect the text around it. The username follows
 * a display name, which others may have, too. Agents are marked, and webhooks, which may have the name of anybody.
 */
export function Name({
  name,
  isAgent = false,
  isWebhook = false,
}: {
  name: string;
  isAgent?: boolean;
  isWebhook?: boolean;
}) {
  const shown = useLookup(useParley().profiles, isAgent || isWebhook ? null : avatarKey(name))?.display_name ?? name;
  return (
    <>
      <bdi className="name">{shown}</bdi>
      {avatarKey(shown) !== avatarKey(name) && (
        <>
          {" "}
          <bdi className="username">@{name}</bdi>
        </>
      )}
      {isAgent && <AgentBadge />}
      {isWebhook && <WebhookBadge />}
    </>
  );
}

function WebhookBadge() {
  const { people } = useTexts();
  return (
    <span className="badge" title={people.webhookHint}>
      {people.webhook}
    </span>
  );
}

/** Marks agents. */
export function AgentBadge() {
  const { people } = useTexts();
  return (
    <span className="badge" title={people.agentHint}>
      {people.agent}
    </span>
  );
}

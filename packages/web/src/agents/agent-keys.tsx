import type { ApiKey } from "@parley/protocol/api-keys";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";

interface Props {
  keys: readonly ApiKey[];
  /** The agent's name. */
  name: string;
  isBusy: boolean;
  onRevoke(keyId: string): void;
}

/** True if the key has expired. A rotated key within its grace period has not. */
const hasEnded = ({ revoked_at }: ApiKey): boolean => revoked_at !== null && Date.parse(revoked_at) <= Date.now();

/** An agent's API keys; expired ones are collapsed. */
export function AgentKeys({ keys, name, isBusy, onRevoke }: Props) {
  const parley = useParley();
  const { agents: texts } = useWindowTexts();
  const [live, ended] = [keys.filter((key) => !hasEnded(key)), keys.filter(hasEnded)];
  const revoke = async ({ key_id, key_prefix }: ApiKey) => {
    const isLast = live.length === 1;
    const text = isLast ? texts.revokeLast(key_prefix) : texts.revokeSure(key_prefix);
    if (await parley.confirm.ask({ title: name, text, action: texts.revoke })) onRevoke(key_id);
  };
  return (
    <>
      {live.length === 0 && <p className="hint">{texts.noKeys}</p>}
      <ul className="lines" aria-label={texts.keys}>
        {live.map((key) => (
          <li key={key.key_id}>
            <KeyFacts apiKey={key} />
            <button
              type="button"
              className="secondary danger"
              disabled={isBusy}
              aria-label={`${texts.revoke}: ${key.key_prefix}`}
              onClick={() => void revoke(key)}
            >
              {texts.revoke}
            </button>
          </li>
        ))}
      </ul>
      {ended.length > 0 && (
        <details>
          <summary>{texts.endedKeys(ended.length)}</summary>
          <ul className="lines">
            {ended.map((key) => (
              <li key={key.key_id}>
                <KeyFacts apiKey={key} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { agents: texts } = useWindowTexts();
  const { key_prefix, created_at, last_used_at, revoked_at } = apiKey;
  return (
    <span>
      <code>{key_prefix}…</code>
      <span className="muted">
        {[
          texts.made(momentOf(created_at)),
          ...(apiKey.scopes === null ? [] : [apiKey.scopes.join(", ")]),
          ...(apiKey.channels === null ? [] : [apiKey.channels.map((slug) => `#${slug}`).join(" ")]),
          ...(last_used_at === null ? [] : [texts.used(momentOf(last_used_at))]),
          ...(revoked_at === null
            ? []
            : [hasEnded(apiKey) ? texts.revoked(momentOf(revoked_at)) : texts.ends(momentOf(revoked_at))]),
        ].join(" · ")}
      </span>
    </span>
  );
}

import { useEffect } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { SecretField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { exampleChannel } from "./example-channel.ts";
import { SNIPPETS } from "./key-commands.ts";
import { TelegramSetup } from "./telegram-setup.tsx";

interface Props {
  label: string;
  agentId: number;
  apiKey: string;
  /** The name the agent speaks under. */
  name: string;
  /** The slugs of the channels to which the key is limited; null: it is not. */
  limit: readonly string[] | null;
  /** Called when the agent was changed. */
  onChanged?: (() => void) | undefined;
}

/** A new key, which is shown only once, and what connects an agent with it, ready to copy. */
export function IssuedKey({ label, agentId, apiKey, name, limit, onChanged }: Props) {
  const parley = useParley();
  const { newAgent: texts } = useWindowTexts();
  const { channels } = useStore(parley.channels.view);
  const channel = exampleChannel(channels, parley.channelAt(useStore(parley.route)), limit);
  const addTo = channel?.addTo ?? null;
  useEffect(() => {
    if (addTo === null) return;
    // Without a right to add it, the page says so, and the sample works when an admin of the channel has added it.
    parley.client.channels.setMember(addTo, name, {}).catch((error: unknown) => parley.showError(error));
  }, [parley, addTo, name]);
  const { url } = parley.client;
  return (
    <div className="issued-key">
      <SecretField label={label} value={apiKey} hint={texts.once} />
      {channel === null ? (
        <p className="hint">{texts.noChannel}</p>
      ) : (
        SNIPPETS.map(({ id, language, text }, index) => (
          <details key={id} className="snippet" open={index === 0}>
            <summary>{texts.snippets[id].title}</summary>
            <p className="hint">{texts.snippets[id].hint}</p>
            <CodeBlock language={language} text={text({ url, apiKey, name, channel: channel.slug })} isStatic={false}>
              {null}
            </CodeBlock>
          </details>
        ))
      )}
      <TelegramSetup agentId={agentId} apiKey={apiKey} onChanged={onChanged} />
    </div>
  );
}

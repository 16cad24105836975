import { useWelcomeTexts } from "../i18n/hooks/use-welcome-texts.ts";

/** Says how to make the site's first owner. The server reports that one is missing only to its own machine. */
export function OwnerHint() {
  const { owner: texts } = useWelcomeTexts();
  return (
    <aside className="first-steps">
      <h4>{texts.title}</h4>
      <p>{texts.how}</p>
      <pre className="code">{texts.command}</pre>
      <p className="hint">{texts.local}</p>
    </aside>
  );
}

import { useLoginTexts } from "../i18n/hooks/use-login-texts.ts";
import { useSite } from "../session/use-site.ts";
import { signOnHref } from "./sign-on.ts";

/** A link with which users confirm who they are at the identity provider; nothing if the site has none. */
export function LogInAgain() {
  const texts = useLoginTexts();
  const provider = useSite()?.oidc_name ?? null;
  if (provider === null) return null;
  return (
    <p className="aside">
      <a href={signOnHref(true)}>{texts.again(provider)}</a>
    </p>
  );
}

import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { hasPasskeys, signInByPasskey } from "./passkeys.ts";

/** The button that logs in by passkey; nothing where the browser has none. */
export function PasskeyLogin({ onDone }: { onDone(): void }) {
  const parley = useParley();
  const texts = useFactorTexts();
  const action = useAction();
  if (!hasPasskeys()) return null;
  const signIn = async () => {
    if (await action.run(() => signInByPasskey(parley.client, texts.cancelled))) onDone();
  };
  return (
    <>
      <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void signIn()}>
        {texts.signIn}
      </button>
      <ErrorLine text={action.error} />
    </>
  );
}

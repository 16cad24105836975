import type { UserClient } from "@parley/sdk";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { UserFacingError } from "../i18n/user-facing-error.ts";

const IP_ADDRESS = /^[\d.]+$|^\[/;

/** True where the browser has passkeys for this page: not over http, except on localhost, and not at an IP address. */
export const hasPasskeys = (): boolean =>
  isSecureContext && "PublicKeyCredential" in window && !IP_ADDRESS.test(location.hostname);

/**
 * Asks the browser for a new passkey and adds it to the account.
 * @throws UserFacingError with `cancelled` if the person or the browser did not finish, and ParleyError
 */
export async function addPasskey(
  { secondFactors }: UserClient,
  { name, current_password, cancelled }: { name: string; current_password: string | undefined; cancelled: string },
): Promise<void> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const { options } = await secondFactors.passkeyOptions({ current_password });
  // The protocol leaves the form of the options to Web Authentication.
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const made = await finished(startRegistration({ optionsJSON }), cancelled);
  const { id, rawId, response } = made;
  const { clientDataJSON, attestationObject, transports } = response;
  const credential = {
    id,
    rawId,
    type: "public-key" as const,
    response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
  };
  await secondFactors.addPasskey({ name, credential });
}

/**
 * Logs in with a passkey that the person chooses.
 * @throws UserFacingError with `cancelled` if the person or the browser did not finish, and ParleyError
 */
export async function signInByPasskey({ secondFactors }: UserClient, cancelled: string): Promise<void> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const { options } = await secondFactors.passkeyLoginOptions();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const { id, rawId, response } = await finished(startAuthentication({ optionsJSON }), cancelled);
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const signed = { clientDataJSON, authenticatorData, signature, userHandle: userHandle ?? null };
  await secondFactors.loginByPasskey({ credential: { id, rawId, type: "public-key", response: signed } });
}

async function finished<T>(ceremony: Promise<T>, cancelled: string): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    console.warn(error);
    throw new UserFacingError(cancelled);
  }
}

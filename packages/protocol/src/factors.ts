import { type Static, Type } from "typebox";
import { LoggedInUser } from "./accounts.ts";
import { HumanText, Id, model, Nullable, response, Timestamp } from "./values.ts";

/** Passkeys that one user can have. */
export const PASSKEYS_PER_USER = 20;
export const PASSKEY_NAME_MAX = 64;
/** Recovery codes that a user gets at once. */
export const RECOVERY_CODES = 10;
/** The wrong codes that end a login's challenge, and its lifetime. */
export const CHALLENGE_TRIES = 5;
export const CHALLENGE_SECONDS = 300;

/** What can confirm a login after the password. */
export const SecondFactorMethod = Type.Enum(["totp", "recovery_code", "passkey"], {
  description:
    "`totp`: a code of an authenticator app. `recovery_code`: one of the codes that were shown at set-up. `passkey`: log in by passkey instead.",
});
export type SecondFactorMethod = Static<typeof SecondFactorMethod>;

/** Body of requests that change how the caller logs in. */
export const ConfirmBody = Type.Object({
  current_password: Type.Optional(Type.String({ description: "Required when the session is older than 10 minutes." })),
});
export type ConfirmBody = Static<typeof ConfirmBody>;

/** The second factors of the caller (protocol §13.9). */
export const SecondFactorState = model("SecondFactorState", "The second factors of the caller.", {
  required: Type.Boolean({ description: "Whether this server requires one of the caller (PARLEY_REQUIRE_2FA)." }),
  setup_required: Type.Boolean({
    description: "Whether the caller must set one up before anything else: all other calls answer 403.",
  }),
  totp_since: Nullable(Type.String({ ...Timestamp, description: "When the authenticator app was set up." })),
  recovery_codes_left: Type.Integer({ minimum: 0, maximum: RECOVERY_CODES }),
  passkeys: Type.Integer({ minimum: 0, maximum: PASSKEYS_PER_USER }),
  passkeys_available: Type.Boolean({ description: "Whether passkeys work at this server's address." }),
});
export type SecondFactorState = Static<typeof SecondFactorState>;

/** Response of GET /api/auth/second-factor. */
export const SecondFactorStateResponse = response({ second_factor: SecondFactorState });
export type SecondFactorStateResponse = Static<typeof SecondFactorStateResponse>;

/** Response of POST /api/auth/totp. The secret is not shown again. */
export const TotpResponse = response({
  secret: Type.String({ description: "Base32, for typing into an authenticator app." }),
  otpauth_url: Type.String(),
  qr_svg: Type.String({ description: "A QR code of `otpauth_url`, as an SVG image." }),
  expires_at: Type.String({ ...Timestamp, description: "Until when the first code confirms it." }),
});
export type TotpResponse = Static<typeof TotpResponse>;

const FactorCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Six digits of an authenticator app, or a recovery code. Spaces and dashes do not matter.",
});

/** POST /api/auth/totp/confirm. */
export const TotpConfirmBody = Type.Object({ code: FactorCode });
export type TotpConfirmBody = Static<typeof TotpConfirmBody>;

/** Response of POST /api/auth/totp/confirm and POST /api/auth/recovery-codes. The codes are not shown again. */
export const RecoveryCodesResponse = response({
  message: HumanText,
  recovery_codes: Type.Array(Type.String(), { minItems: RECOVERY_CODES, maxItems: RECOVERY_CODES }),
});
export type RecoveryCodesResponse = Static<typeof RecoveryCodesResponse>;

/** POST /api/auth/second-factor and the command `auth:second-factor`; their answers are those of the login. */
export const SecondFactorBody = Type.Object({
  challenge_id: Type.String({ maxLength: 128, description: "`details.challenge_id` of `second_factor_required`." }),
  code: FactorCode,
});
export type SecondFactorBody = Static<typeof SecondFactorBody>;

/** The codes of the body's fields. A missing field is a mistake of the client, not an expired challenge or a wrong code. */
export const SECOND_FACTOR_INVALID = {
  challenge_id: ["invalid_request", "challenge_expired"],
  code: ["invalid_request", "wrong_code"],
} as const;

/** A passkey of the caller. */
export const Passkey = model("Passkey", "A passkey of the caller.", {
  passkey_id: Id,
  name: Type.String(),
  is_synced: Type.Boolean({ description: "Whether a password manager keeps a copy of it elsewhere." }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type Passkey = Static<typeof Passkey>;

const PasskeyName = Type.String({ minLength: 1, maxLength: PASSKEY_NAME_MAX });
/** Base64url. The longest real value, an RSA signature, has 683 characters; attestations are not asked for. */
const base64url = (maxLength: number) => Type.String({ pattern: "^[A-Za-z0-9_-]+$", maxLength });
const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: Type.Literal("public-key"),
  authenticatorAttachment: Type.Optional(Nullable(Type.String({ maxLength: 32 }))),
  clientExtensionResults: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
};

/** Options of a passkey ceremony, as the browser's `navigator.credentials` takes them. */
const Options = (type: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description: `\`${type}\` of Web Authentication, level 3.` });

/** Response of POST /api/auth/passkeys/options. */
export const PasskeyOptionsResponse = response({ options: Options("PublicKeyCredentialCreationOptionsJSON") });
export type PasskeyOptionsResponse = Static<typeof PasskeyOptionsResponse>;

/** POST /api/auth/passkeys. */
export const PasskeyBody = Type.Object({
  name: PasskeyName,
  credential: Type.Object(
    {
      ...credential,
      response: Type.Object({
        clientDataJSON: base64url(4_096),
        attestationObject: base64url(16_384),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
      }),
    },
    { description: "`RegistrationResponseJSON` of Web Authentication, level 3." },
  ),
});
export type PasskeyBody = Static<typeof PasskeyBody>;

/** Response of POST /api/auth/passkeys and PUT /api/auth/passkeys/:passkey_id. */
export const PasskeyResponse = response({ message: HumanText, passkey: Passkey });
export type PasskeyResponse = Static<typeof PasskeyResponse>;

/** Response of GET /api/auth/passkeys, the newest first. */
export const PasskeysResponse = response({ passkeys: Type.Array(Passkey) });
export type PasskeysResponse = Static<typeof PasskeysResponse>;

/** /api/auth/passkeys/:passkey_id */
export const PasskeyParams = Type.Object({ passkey_id: Id });

/** PUT /api/auth/passkeys/:passkey_id. */
export const RenamePasskeyBody = Type.Object({ name: PasskeyName });
export type RenamePasskeyBody = Static<typeof RenamePasskeyBody>;

/** Response of POST /api/auth/passkeys/login-options. It is the same for everybody. */
export const PasskeyLoginOptionsResponse = response({ options: Options("PublicKeyCredentialRequestOptionsJSON") });
export type PasskeyLoginOptionsResponse = Static<typeof PasskeyLoginOptionsResponse>;

/** POST /api/auth/passkeys/login. */
export const PasskeyLoginBody = Type.Object({
  credential: Type.Object(
    {
      ...credential,
      response: Type.Object({
        clientDataJSON: base64url(4_096),
        authenticatorData: base64url(4_096),
        signature: base64url(2_048),
        userHandle: Type.Optional(Nullable(base64url(128))),
      }),
    },
    { description: "`AuthenticationResponseJSON` of Web Authentication, level 3." },
  ),
});
export type PasskeyLoginBody = Static<typeof PasskeyLoginBody>;

/** Response of POST /api/auth/passkeys/login, which also sets the session's cookie. */
export const PasskeyLoginResponse = response({ message: HumanText, user: LoggedInUser });
export type PasskeyLoginResponse = Static<typeof PasskeyLoginResponse>;

/** Response of DELETE /api/admin/users/:username/second-factor: what the user had. */
export const RemoveFactorsResponse = response({
  message: HumanText,
  removed: Type.Object({ totp: Type.Boolean(), passkeys: Type.Integer({ minimum: 0 }) }),
});
export type RemoveFactorsResponse = Static<typeof RemoveFactorsResponse>;

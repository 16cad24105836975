import { MessageResponse } from "@parley/protocol/accounts";
import * as wire from "@parley/protocol/factors";
import { type Route, route } from "../../http/route.ts";
import { giveLogin, originOf } from "../sessions/start-login.ts";
import * as passkeys from "./passkeys.ts";
import { requireParty } from "./relying-party.ts";

const tag = "Accounts";
const PASSKEY = "/api/auth/passkeys/:passkey_id";

/** Routes of passkeys (protocol §13.9). */
export const passkeyRoutes: readonly Route[] = [
  route({
    name: "listPasskeys",
    method: "GET",
    path: "/api/auth/passkeys",
    summary: "List the caller's passkeys",
    tag,
    auth: "session",
    beforeSecondFactor: true,
    documentedActs: "own second factors",
    answers: { 200: wire.PasskeysResponse },
    errors: [],
    handle: async ({ ctx, caller }) => ({ passkeys: await passkeys.passkeysOf(ctx, caller.userId) }),
  }),
  route({
    name: "getPasskeyOptions",
    method: "POST",
    path: "/api/auth/passkeys/options",
    summary: "Begin to add a passkey",
    tag,
    auth: "session",
    beforeSecondFactor: true,
    documentedActs: "add passkey",
    rates: [{ policy: "passkeys", by: "identity" }],
    body: wire.ConfirmBody,
    bodyOptional: true,
    answers: { 200: wire.PasskeyOptionsResponse },
    errors: ["passkeys_unavailable", "passkey_limit_reached", "reauth_required", "overloaded"],
    async handle({ ctx, caller, body, request }) {
      return { options: await passkeys.beginPasskey(ctx, caller, requireParty(ctx.config, request), body) };
    },
  }),
  route({
    name: "addPasskey",
    method: "POST",
    path: "/api/auth/passkeys",
    summary: "Add the passkey that the caller's browser has made",
    tag,
    auth: "session",
    beforeSecondFactor: true,
    documentedActs: "add passkey",
    rates: [{ policy: "passkeys", by: "identity" }],
    body: wire.PasskeyBody,
    status: 201,
    answers: { 201: wire.PasskeyResponse },
    errors: [
      "passkeys_unavailable",
      "challenge_expired",
      "passkey_rejected",
      "passkey_exists",
      "passkey_limit_reached",
    ],
    async handle({ ctx, caller, body, request }) {
      const passkey = await passkeys.addPasskey(ctx, caller, requireParty(ctx.config, request), body);
      return { message: "The passkey is added.", passkey };
    },
  }),
  route({
    name: "renamePasskey",
    method: "PUT",
    path: PASSKEY,
    summary: "Rename a passkey",
    tag,
    auth: "session",
    documentedActs: "own second factors",
    params: wire.PasskeyParams,
    body: wire.RenamePasskeyBody,
    answers: { 200: wire.PasskeyResponse },
    errors: ["passkey_not_found"],
    async handle({ ctx, caller, params, body }) {
      const passkey = await passkeys.renamePasskey(ctx, caller, params.passkey_id, body.name);
      return { message: "The passkey is renamed.", passkey };
    },
  }),
  route({
    name: "removePasskey",
    method: "DELETE",
    path: PASSKEY,
    summary: "Remove a passkey",
    tag,
    auth: "session",
    documentedActs: "own second factors",
    params: wire.PasskeyParams,
    body: wire.ConfirmBody,
    bodyOptional: true,
    answers: { 200: MessageResponse },
    errors: ["passkey_not_found", "last_login_method", "reauth_required", "overloaded"],
    async handle({ ctx, caller, params, body }) {
      await passkeys.removePasskey(ctx, caller, params.passkey_id, body);
      return { message: "The passkey is removed." };
    },
  }),
  route({
    name: "getPasskeyLoginOptions",
    method: "POST",
    path: "/api/auth/passkeys/login-options",
    summary: "Begin a login by passkey",
    tag,
    auth: "open",
    documentedActs: "log in by passkey",
    rates: [{ policy: "login", by: "address" }],
    answers: { 200: wire.PasskeyLoginOptionsResponse },
    errors: ["passkeys_unavailable"],
    async handle({ ctx, request }) {
      return { options: await passkeys.beginPasskeyLogin(ctx, requireParty(ctx.config, request)) };
    },
  }),
  route({
    name: "loginByPasskey",
    method: "POST",
    path: "/api/auth/passkeys/login",
    summary: "Log in by passkey, which counts as both factors",
    tag,
    auth: "open",
    documentedActs: "log in by passkey",
    rates: [{ policy: "secondFactor", by: "address" }],
    body: wire.PasskeyLoginBody,
    answers: { 200: wire.PasskeyLoginResponse },
    errors: ["passkeys_unavailable", "challenge_expired", "passkey_rejected", "account_suspended"],
    async handle(call) {
      const party = requireParty(call.ctx.config, call.request);
      const login = await passkeys.loginByPasskey(call.ctx, party, call.body, originOf(call));
      giveLogin(call, login);
      return { message: `Welcome back, ${login.user.username}.`, user: login.user };
    },
  }),
];

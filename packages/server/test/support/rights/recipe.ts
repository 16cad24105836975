import type { Right } from "../../../src/http/rights.ts";
import type { Handles, ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";

/** The parts of a call other than the object in its path. */
export interface Sent {
  params?: Handles;
  query?: Record<string, string>;
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  /** A second cookie, sent with the credential of the caller. */
  cookie?: string;
}

/** How to call a route or command to try one of its acts. */
export interface Recipe {
  right: Right;
  on: ObjectKind;
  sent(handles: Handles, fresh: () => string): Sent;
  /** True if a success does not affect later trials. */
  harmless: boolean;
  /** True if a success ends the session or account of the caller, so that a disposable user makes the call. */
  usesUpCaller: boolean;
}

/** Makes the call for an object. */
export type Say = (handles: Handles, fresh: () => string) => Sent;

const tried =
  (harmless: boolean, usesUpCaller = false) =>
  (right: Right, kind: ObjectKind = on.nothing, sent: Say = () => ({})): Recipe => ({
    right,
    on: kind,
    sent,
    harmless,
    usesUpCaller,
  });
/** Tries an act that reads, or that can be repeated any number of times. */
export const reads = tried(true);
/** Tries an act that changes the channel or its members. */
export const changes = tried(false);
/** Tries an act that ends the session or account of the caller. */
export const endsCaller = tried(true, true);

export const json =
  (body: unknown): Say =>
  () => ({ body });
export const query =
  (...names: string[]): Say =>
  (handles) => ({ query: Object.fromEntries(names.map((name) => [name, String(handles[name])])) });
const pick = (handles: Handles, names: readonly string[]): Handles =>
  Object.fromEntries(names.map((name) => [name, handles[name] ?? ""]));
/** A body of these handles and other fields. */
export const body =
  (names: readonly string[], more: Record<string, unknown> = {}): Say =>
  (handles) => ({ body: { ...pick(handles, names), ...more } });

/** An act without an object that everybody may try. */
export const page = [reads("see the service")];

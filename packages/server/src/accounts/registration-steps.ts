import { type AppContext, perServer } from "../context.ts";

/** Runs in the transaction that registers a user. `channelSlug` is the channel that the registration asks for, if any. */
export type RegistrationStep = (ctx: AppContext, userId: number, channelSlug: string | null) => Promise<void>;

/** Where higher slices add what every registration does, when the server starts. */
export const registrationSteps: (ctx: AppContext) => Set<RegistrationStep> = perServer(() => new Set());

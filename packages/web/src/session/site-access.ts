import type { Site } from "@parley/protocol/site";

/** True if people can make an account with a password. */
export const mayRegister = ({ registration, password_login }: Site): boolean =>
  registration !== "closed" && password_login === "on";

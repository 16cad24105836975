import { createOwner } from "../channels/general.ts";
import { type Invocation, print } from "./command.ts";
import { askNewPassword } from "./password.ts";
import { openTool } from "./tool.ts";

export async function ownerCreate(call: Invocation): Promise<number> {
  const [username = ""] = call.positionals;
  const password = await askNewPassword(call);
  await using tool = await openTool(call);
  const { created, ownsGeneral, ...rest } = await createOwner(tool.ctx, username, password);
  const lines = [
    created
      ? `${rest.username} is now an owner. Log in with this name and the password.`
      : `${rest.username} already existed and is now an owner with this password. Earlier sessions are ended.`,
    ...(ownsGeneral ? ["The channel general now belongs to this account."] : []),
  ];
  print(call, { username: rest.username, admin_level: 3, created, owns_general: ownsGeneral }, lines.join("\n"));
  return 0;
}

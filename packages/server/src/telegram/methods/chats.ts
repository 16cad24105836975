import type { Channel as ChannelRecord, Member } from "@parley/protocol/models";
import { nameKey } from "../../accounts/names/names.ts";
import type { Channel } from "../../channels/channel.ts";
import { leaveAsAgent } from "../../channels/members/join.service.ts";
import { type Bot, botOf, botsOf, holdersOf, userOf } from "../bots.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { chatOf, chatRecord } from "../chats.ts";
import { subjectOf } from "../ids.ts";
import { placeOfBot, usernameById } from "../telegram.store.ts";
import { badRequest } from "../telegram-error.ts";

const PAGE = 200;
const ROLES = { owner: "creator", admin: "administrator", member: "member" } as const;

export const getChat: Method = async (call) => {
  const channel = await chatOf(call);
  const { channel: found } = await rest(call, "getChannel", { params: { channel_id: channel.id } });
  const { description, topic } = found as ChannelRecord;
  const about = description ?? topic;
  return {
    ...chatRecord(channel),
    ...(about === null ? {} : { description: about }),
    // Newer parsers demand these.
    accent_color_id: 0,
    max_reaction_count: 20,
    accepted_gift_types: {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    },
  };
};

export const getChatMemberCount: Method = async (call) => {
  const channel = await chatOf(call);
  const { channel: found } = await rest(call, "getChannel", { params: { channel_id: channel.id } });
  const { member_count: count } = found as ChannelRecord;
  const place = await placeOfBot(call.ctx.db, channel.id, call.bot);
  // Members are counted as the page does, which leaves out agents that have only logged in.
  return place === "logged_in" ? count + 1 : count;
};

export const getChatAdministrators: Method = async (call) => {
  const channel = await chatOf(call);
  if (channel.direct !== null) throw badRequest("there are no administrators in the private chat");
  const found: Member[] = [];
  // The list begins with the owner and the admins.
  for await (const member of membersOf(call, channel)) {
    if (member.role === "member") break;
    found.push(member);
  }
  return Promise.all(found.map((member) => memberRecord(call, member)));
};

export const getChatMember: Method = async (call) => {
  const channel = await chatOf(call);
  const { name, bot } = await subjectOfCall(call);
  const user = userOf(name, (await holdersOf(call.ctx, [name])).get(nameKey(name)));
  const place = bot === null ? "added" : await placeOfBot(call.ctx.db, channel.id, bot);
  if (place === "added") {
    for await (const member of membersOf(call, channel))
      if (nameKey(member.name) === nameKey(name)) return memberRecord(call, member);
  }
  // The list of members shows an agent under one of its names only.
  return { status: bot === null || place === null ? "left" : "member", user };
};

/** Returns whom `user_id` names. Errors: 400 `invalid user_id specified`, `user not found`. */
async function subjectOfCall({ ctx, fields }: TelegramCall): Promise<{ name: string; bot: Bot | null }> {
  const given = fields.id("user_id");
  const subject = given === undefined ? null : subjectOf(given);
  if (subject?.kind !== "person" && subject?.kind !== "bot") throw badRequest("invalid user_id specified");
  const bot = subject.kind === "bot" ? await botOf(ctx, subject.botId) : null;
  const name = subject.kind === "person" ? await usernameById(ctx.db, subject.userId) : bot?.name;
  if (name === undefined) throw badRequest("user not found");
  return { name, bot };
}

async function* membersOf(call: TelegramCall, { id }: Channel): AsyncGenerator<Member> {
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Record<string, unknown> = await rest(call, "listMembers", {
      params: { channel_id: id },
      query: { limit: PAGE, offset },
    });
    yield* page.members as Member[];
    offset = page.next_offset as number | null;
  }
}

async function memberRecord({ ctx }: TelegramCall, { name, role, muted_until: muted }: Member): Promise<object> {
  const user = userOf(name, (await holdersOf(ctx, [name])).get(nameKey(name)));
  if (muted !== null && Date.parse(muted) > ctx.clock.now())
    return {
      status: "restricted",
      user,
      is_member: true,
      can_send_messages: false,
      until_date: Math.floor(Date.parse(muted) / 1_000),
    };
  if (role === "member") return { status: "member", user };
  return {
    status: ROLES[role],
    user,
    is_anonymous: false,
    can_be_edited: false,
    can_manage_chat: true,
    can_delete_messages: true,
  };
}

export const leaveChat: Method = async (call) => {
  const channel = await chatOf(call);
  if (channel.direct !== null) throw badRequest("chat member status can't be changed in private chats");
  await rest(call, "logoutAgent", { body: { channel_slug: channel.slug, agent_name: call.bot.name } });
  await leaveAsAgent(call.ctx, channel, call.caller.agentId);
  return true;
};

/** sendChatAction: the bot shows as thinking. */
export const sendChatAction: Method = async (call) => {
  const channel = await chatOf(call);
  const thread = call.fields.integer("message_thread_id");
  if (call.fields.text("action") === undefined) throw badRequest("wrong parameter action in request");
  await rest(call, "setAgentTyping", {
    body: {
      channel_slug: channel.slug,
      agent_name: call.bot.name,
      typing: true,
      ...(thread === undefined || thread <= 1 ? {} : { thread_root_id: thread }),
    },
  });
  return true;
};

export const getUserProfilePhotos: Method = async () => ({ total_count: 0, photos: [] });

/** Logs the bot in where its agent was added, so that people see it online. */
export async function stayOnline(call: TelegramCall): Promise<void> {
  const { ctx, caller, bot } = call;
  const names = await botsOf(ctx, caller.agentId);
  if (names.length !== 1) return;
  const { channels } = (await rest(call, "getMe", {})) as {
    channels: { channel_slug: string; agent_name: string | null }[];
  };
  for (const { channel_slug, agent_name } of channels)
    if (agent_name === null)
      await rest(call, "loginAgent", { body: { channel_slug, agent_name: bot.name } }).catch((err: unknown) => {
        ctx.log.debug({ err, agentId: bot.agentId }, "a bot could not log in where it was added");
      });
}

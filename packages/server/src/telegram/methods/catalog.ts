import type { Method } from "../call.ts";
import * as about from "./about-bot.ts";
import { answerCallbackQuery } from "./answer-callback.ts";
import * as change from "./change.ts";
import * as chats from "./chats.ts";
import * as commands from "./commands.ts";
import { copyMessage, forwardMessage } from "./copy.ts";
import * as drafts from "./drafts.ts";
import * as files from "./files.ts";
import { getUpdates } from "./get-updates.ts";
import * as pins from "./pins.ts";
import * as sending from "./send.ts";
import * as webhook from "./webhook.ts";

/** The methods that the door has (protocol §15.5). */
const AVAILABLE: Readonly<Record<string, Method>> = {
  getUpdates,
  setWebhook: webhook.setWebhook,
  deleteWebhook: webhook.deleteWebhook,
  getWebhookInfo: webhook.getWebhookInfo,
  getMe: about.getMe,
  logOut: about.done,
  close: about.done,
  setMyCommands: commands.setMyCommands,
  getMyCommands: commands.getMyCommands,
  deleteMyCommands: commands.deleteMyCommands,
  setMyName: about.setText("name", 64),
  getMyName: about.getText("name"),
  setMyDescription: about.setText("description", 512),
  getMyDescription: about.getText("description"),
  setMyShortDescription: about.setText("short_description", 120),
  getMyShortDescription: about.getText("short_description"),
  getChatMenuButton: about.getChatMenuButton,
  setChatMenuButton: about.done,
  sendMessage: sending.sendMessage,
  sendRichMessage: sending.sendRichMessage,
  sendMessageDraft: drafts.sendMessageDraft,
  sendRichMessageDraft: drafts.sendRichMessageDraft,
  copyMessage,
  forwardMessage,
  editMessageText: change.editMessageText,
  editMessageCaption: change.editMessageCaption,
  editMessageReplyMarkup: change.editMessageReplyMarkup,
  answerCallbackQuery,
  deleteMessage: change.deleteMessage,
  deleteMessages: change.deleteMessages,
  setMessageReaction: change.setMessageReaction,
  createForumTopic: change.createForumTopic,
  editForumTopic: change.editForumTopic,
  deleteForumTopic: change.deleteForumTopic,
  closeForumTopic: change.refuseLock,
  reopenForumTopic: change.refuseLock,
  pinChatMessage: pins.pinChatMessage,
  unpinChatMessage: pins.unpinChatMessage,
  unpinAllChatMessages: pins.unpinAllChatMessages,
  sendPhoto: files.sendPhoto,
  sendDocument: files.sendDocument,
  sendVideo: files.sendVideo,
  sendAudio: files.sendAudio,
  sendVoice: files.sendVoice,
  sendAnimation: files.sendAnimation,
  sendVideoNote: files.sendVideoNote,
  sendSticker: files.sendSticker,
  sendMediaGroup: files.sendMediaGroup,
  getFile: files.getFile,
  sendChatAction: chats.sendChatAction,
  getChat: chats.getChat,
  getChatMember: chats.getChatMember,
  getChatMembersCount: chats.getChatMemberCount,
  getChatMemberCount: chats.getChatMemberCount,
  getChatAdministrators: chats.getChatAdministrators,
  getUserProfilePhotos: chats.getUserProfilePhotos,
  leaveChat: chats.leaveChat,
};

/** Methods by their names in lower case: the Bot API does not look at the case. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries(AVAILABLE).map(([name, method]) => [name.toLowerCase(), method]),
);

/**
 * The other methods of the Bot API, which are answered with 400: python-telegram-bot reads a 404 as a wrong token. The
 * names are those of version 10.3.
 */
const OTHERS =
  "forwardMessages copyMessages sendPaidMedia sendLocation sendVenue sendContact sendPoll sendChecklist sendDice sendGame " +
  "sendInvoice sendGift sendLivePhoto setUserEmojiStatus banChatMember unbanChatMember kickChatMember restrictChatMember " +
  "promoteChatMember setChatAdministratorCustomTitle setChatMemberTag banChatSenderChat unbanChatSenderChat setChatPermissions " +
  "exportChatInviteLink createChatInviteLink editChatInviteLink createChatSubscriptionInviteLink " +
  "editChatSubscriptionInviteLink revokeChatInviteLink approveChatJoinRequest declineChatJoinRequest setChatPhoto " +
  "deleteChatPhoto setChatTitle setChatDescription setChatStickerSet deleteChatStickerSet " +
  "getForumTopicIconStickers unpinAllForumTopicMessages editGeneralForumTopic " +
  "closeGeneralForumTopic reopenGeneralForumTopic hideGeneralForumTopic unhideGeneralForumTopic " +
  "unpinAllGeneralForumTopicMessages getUserChatBoosts getUserProfileAudios getBusinessConnection " +
  "setMyProfilePhoto removeMyProfilePhoto getManagedBotToken replaceManagedBotToken setMyDefaultAdministratorRights getMyDefaultAdministratorRights getAvailableGifts giftPremiumSubscription " +
  "verifyUser verifyChat removeUserVerification removeChatVerification readBusinessMessage deleteBusinessMessages " +
  "setBusinessAccountName setBusinessAccountUsername setBusinessAccountBio setBusinessAccountProfilePhoto " +
  "removeBusinessAccountProfilePhoto setBusinessAccountGiftSettings getBusinessAccountStarBalance " +
  "transferBusinessAccountStars getBusinessAccountGifts getUserGifts getChatGifts convertGiftToStars upgradeGift " +
  "transferGift postStory repostStory editStory deleteStory editMessageMedia editMessageLiveLocation " +
  "stopMessageLiveLocation editMessageChecklist stopPoll approveSuggestedPost " +
  "declineSuggestedPost getStickerSet getCustomEmojiStickers uploadStickerFile createNewStickerSet addStickerToSet " +
  "setStickerPositionInSet deleteStickerFromSet replaceStickerInSet setStickerEmojiList setStickerKeywords " +
  "setStickerMaskPosition setStickerSetTitle setStickerSetThumbnail setCustomEmojiStickerSetThumbnail deleteStickerSet " +
  "answerInlineQuery answerWebAppQuery savePreparedInlineMessage savePreparedKeyboardButton answerShippingQuery " +
  "answerPreCheckoutQuery getMyStarBalance getStarTransactions refundStarPayment editUserStarSubscription " +
  "setPassportDataErrors setGameScore getGameHighScores answerChatJoinRequestQuery sendChatJoinRequestWebApp " +
  "getUserPersonalChatMessages answerGuestQuery getManagedBotAccessSettings setManagedBotAccessSettings " +
  "editEphemeralMessageText editEphemeralMessageMedia editEphemeralMessageCaption editEphemeralMessageReplyMarkup " +
  "deleteEphemeralMessage deleteMessageReaction deleteAllMessageReactions createInvoiceLink";

/** Methods of the Bot API that the door lacks, by their names in lower case, with their usual spelling. */
export const UNAVAILABLE: ReadonlyMap<string, string> = new Map(
  OTHERS.split(" ").map((name) => [name.toLowerCase(), name]),
);

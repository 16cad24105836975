import { accounts, wallets } from "./accounts/accounts.module.ts";
import { administration } from "./administration/administration.module.ts";
import { agents } from "./agents/agents.module.ts";
import { budgets } from "./agents/budgets/budgets.module.ts";
import { cards } from "./agents/cards/cards.module.ts";
import { agentCommands } from "./agents/commands/commands.module.ts";
import { inbox } from "./agents/inbox/inbox.module.ts";
import { kinds } from "./agents/kinds/kinds.module.ts";
import { agentSessions } from "./agents/sessions/sessions.module.ts";
import { silence } from "./agents/silence/silence.module.ts";
import { agentStops } from "./agents/stops/stops.module.ts";
import { streams } from "./agents/streams/streams.module.ts";
import { auditLog } from "./audit/audit.module.ts";
import { chains } from "./chains/chains.module.ts";
import { channels } from "./channels/channels.module.ts";
import { clientPrograms } from "./client-programs/client-programs.module.ts";
import { digests } from "./digests/digests.module.ts";
import { documents } from "./documents/documents.module.ts";
import { emoji } from "./emoji/emoji.module.ts";
import { exports } from "./exports/exports.module.ts";
import { files } from "./files/files.module.ts";
import { forwards } from "./forwards/forwards.module.ts";
import { idempotency } from "./http/idempotency.module.ts";
import { imports } from "./imports/imports.module.ts";
import { importedPeople } from "./imports/people/imported-people.module.ts";
import { keyClaims } from "./key-claims/key-claims.module.ts";
import { ledger } from "./ledger/ledger.module.ts";
import { mail } from "./mail/mail.module.ts";
import { mcp } from "./mcp/mcp.module.ts";
import { menus } from "./messages/menus/menus.module.ts";
import { messages } from "./messages/messages.module.ts";
import { threads } from "./messages/threads/threads.module.ts";
import { type Module, routesOf } from "./module.ts";
import { notifications } from "./notifications/notifications.module.ts";
import { operations } from "./operations/operations.module.ts";
import { payments } from "./payments/payments.module.ts";
import { payouts } from "./payouts/payouts.module.ts";
import { points } from "./points/points.module.ts";
import { polls } from "./polls/polls.module.ts";
import { previews } from "./previews/previews.module.ts";
import { privacy } from "./privacy/privacy.module.ts";
import { reactions } from "./reactions/reactions.module.ts";
import { redPackets } from "./red-packets/red-packets.module.ts";
import { reminders } from "./reminders/reminders.module.ts";
import { replica } from "./replica/replica.module.ts";
import { reports } from "./reports/reports.module.ts";
import { restoring } from "./restoring/restoring.module.ts";
import { retention } from "./retention/retention.module.ts";
import { saved } from "./saved/saved.module.ts";
import { scheduled } from "./scheduled/scheduled.module.ts";
import { search } from "./search/search.module.ts";
import { setupCodes } from "./setup-codes/setup-codes.module.ts";
import { site } from "./site/site.module.ts";
import { stickers } from "./stickers/stickers.module.ts";
import { telegram } from "./telegram/telegram.module.ts";
import { voiceNotes } from "./voice-notes/voice-notes.module.ts";
import { web } from "./web/web.module.ts";
import { webhooks } from "./webhooks/webhooks.module.ts";

/** Every module of the product. The documents describe them in this order, which means nothing else. */
export const MODULES: readonly Module[] = [
  accounts,
  wallets,
  points,
  ledger,
  privacy,
  idempotency,
  channels,
  messages,
  reactions,
  threads,
  scheduled,
  saved,
  forwards,
  polls,
  previews,
  reminders,
  reports,
  search,
  retention,
  notifications,
  digests,
  mail,
  agents,
  inbox,
  kinds,
  streams,
  silence,
  agentCommands,
  agentSessions,
  agentStops,
  budgets,
  webhooks,
  mcp,
  telegram,
  keyClaims,
  setupCodes,
  files,
  voiceNotes,
  cards,
  menus,
  stickers,
  emoji,
  redPackets,
  chains,
  payments,
  payouts,
  imports,
  exports,
  importedPeople,
  administration,
  site,
  auditLog,
  operations,
  restoring,
  replica,
  documents,
  web,
  clientPrograms,
];

/** Returns every route of the product, for the documents and the tests of all routes. */
export const allRoutes = (): ReturnType<typeof routesOf> => routesOf(MODULES);

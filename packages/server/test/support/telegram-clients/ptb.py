"""python-telegram-bot 13.15, as Debian has it. It reads calls as lines of JSON, and writes what they return."""

import json
import os
import sys

from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import Conflict, RetryAfter
from telegram.ext import CallbackQueryHandler, Filters, MessageHandler, Updater


def write(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def receive(update, _context):
    message = update.effective_message
    write({
        "received": {
            "message_id": message.message_id,
            "text": message.text,
            "caption": message.caption,
            "chat_type": message.chat.type,
            "thread": getattr(message, "message_thread_id", None),
            "photo": message.photo[-1].file_id if message.photo else None,
        }
    })


def answer(update, _context):
    update.callback_query.answer(f"Got {update.callback_query.data}")


def fail(_update, context):
    if isinstance(context.error, Conflict):
        write({"conflict": str(context.error)})


root = os.environ["API_ROOT"]
updater = Updater(os.environ["TOKEN"], base_url=f"{root}/bot", base_file_url=f"{root}/file/bot")
updater.dispatcher.add_handler(MessageHandler(Filters.all, receive))
updater.dispatcher.add_handler(CallbackQueryHandler(answer))
updater.dispatcher.add_error_handler(fail)
updater.start_polling()
bot = updater.bot


def photo(call):
    with open(call["path"], "rb") as file:
        return bot.send_photo(call["chat"], file).message_id


KEYBOARD = InlineKeyboardMarkup([[InlineKeyboardButton("Go", callback_data="go")]])
ACTS = {
    "me": lambda call: bot.get_me().username,
    "send": lambda call: bot.send_message(
        call["chat"], call["text"], reply_to_message_id=call["reply_to"] or None
    ).message_id,
    "edit": lambda call: bool(bot.edit_message_text(call["text"], call["chat"], call["message_id"])),
    "remove": lambda call: bot.delete_message(call["chat"], call["message_id"]),
    "photo": photo,
    "keyboard": lambda call: bot.send_message(call["chat"], "Ready?", reply_markup=KEYBOARD).message_id,
    "typing": lambda call: bot.send_chat_action(call["chat"], "typing"),
    "size": lambda call: len(bot.get_file(call["file_id"]).download_as_bytearray()),
}

for line in sys.stdin:
    call = json.loads(line)
    try:
        write({"id": call["id"], "result": ACTS[call["act"]](call)})
    except RetryAfter as error:
        write({"id": call["id"], "error": str(error), "retry_after": error.retry_after})
    except Exception as error:  # The test shows it.
        write({"id": call["id"], "error": repr(error)})
updater.stop()

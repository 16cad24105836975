/** Names of emoji that Slack does not have, or that mean another emoji there: the emoji, and its names. */
const LINES = `
😀 happy, 😄 big_smile, 😁 grinning_face_with_smiling_eyes, 😆 lol, 😂 tears laughter_tears, 😇 halo
🙂 smile slight_smile, 🙃 upside_down oops, 😍 in_love, 😘 heart_kiss blow_a_kiss, 😗 kiss, 😚 kiss_with_blush
😜 stuck_out_tongue_wink joking crazy, 😝 stuck_out_tongue, 😛 mischievous, 🤑 money_face kaching, 🤗 hug arms_open
🤓 nerd geek, 🤡 clown, 🤠 cowboy, 😏 smug, 😔 tired, 😕 oh_no half_frown concerned, 🙁 frown slight_frown
☹️ sad big_frown, 😣 helpless, 😖 agony, 😫 anguish, 😩 distraught, 😡 mad grumpy very_angry
😶 speechless blank poker_face, 😐 neutral, 😧 pained, 😮 surprise, 😵 dizzy, 😳 embarrassed blushing
😨 fear scared shock, 😥 exhausted stressed, 🤤 drooling, 🙄 rolling_eyes, 🤔 thinking, 🤥 lying, 😬 nervous anxious
🤐 silence quiet hush zip_it lips_are_sealed, 🤢 nauseated queasy, 🤧 sneezing, 😷 cant_talk, 🤒 sick flu
🤕 hurt head_bandage injured, 😈 smiling_devil smiling_face_with_horns, 👿 devil angry_devil, 👹 ogre, 👺 goblin
💩 pile_of_poo, 👻 boo spooky haunted, ☠️ pirate death hazard toxic poison, 👽 ufo, 🤖 robot, 🎃 pumpkin, 😼 smug_cat
🙀 weary_cat, 😿 crying_cat, 😾 angry_cat, 🙌 praise, 👏 applause, 🙏 welcome thank_you namaste, 🤝 done_deal
👍 thumbs_up, 👎 thumbs_down, 👊 fist_bump, ✊ power, 🤛 left_fist, 🤜 right_fist, 🤞 fingers_crossed
✌️ peace_sign victory, 🤘 rock_on, 👌 ok got_it, 👆 point_up this
☝️ wait_one_second point_of_information asking_a_question, 🤚 stop, 🖐️ high_five palm
🖖 spock live_long_and_prosper, 👋 hello hi, 🤙 call_me, ✍️ writing, 💅 nail_polish, 💋 lipstick_kiss, 👄 mouth
👣 feet, 👀 looking, 🗣️ speaking_head, 👤 silhouette shadow, 👥 silhouettes shadows, 👴 elderly_man
👵 elderly_woman, 👲 gua_pi_mao, 👳 turban, 👮 police, 💂 guard, 🕵️ detective spy sleuth agent sneaky, 👰 bride
🤵 tuxedo, 🤰 pregnant expecting, 💁 person_tipping_hand, 🙅 no_signal nope, 🙆 ok_signal, 🙋 pick_me
🙎 person_pouting, 🕴️ levitating hover, 🕺 dancing disco, 🚶 pedestrian, 👫 man_and_woman_couple, 👭 women_couple
👬 men_couple, 👚 clothing, 👖 denim, 👔 tie, 👠 high_heels, 👡 flip_flops, 👟 sneaker running_shoe, 👒 hat
🎩 top_hat, 🎓 graduate, 👑 queen king, ⛑️ helmet hard_hat rescue_worker safety_first invincible, 🎒 backpack satchel
👓 glasses spectacles, 🐶 puppy, 🐱 kitten, 🐭 dormouse, 🐰 bunny, 🦊 fox, 🐼 panda, 🐯 tiger_cub, 🦁 lion, 🐮 calf
🐷 piglet, 🐔 cluck, 🐤 chick, 🐣 hatching, 🐥 new_baby, 🐴 pony, 🦄 unicorn, 🐝 buzz, 🐛 caterpillar
🐚 seashell conch spiral_shell, 🐞 beetle, 🕸️ web, 🐢 tortoise, 🐍 hiss, 🦎 gecko, 🐋 humpback_whale, 🐅 tiger
🐂 bull, 🐄 cow, 🐪 arabian_camel, 🐎 horse, 🐖 pig oink, 🐑 baa, 🐕 dog woof, 🐈 cat meow
🐓 alarm cock-a-doodle-doo, 🕊️ dove, 🐇 rabbit, 🐁 mouse, 🐾 paws, 🎄 holiday_tree, 🌳 tree, 🌱 sprout, 🌿 plant
☘️ clover, 🍀 lucky, 🎋 wish_tree, 🍃 wind fall, 🌾 harvest, 🌷 flower, 🥀 crushed, 🌔 waxing_moon, 🌚 new_moon_face
🌝 moon_face, 🌞 sun_face, 🌛 goodnight, 🌙 moon, 💫 seeing_stars, 🌟 glowing_star, ✨ glamour, ⚡ high_voltage
🔥 lit hot flame, 💥 explosion crash, ☄️ meteor, ⛅ partly_cloudy, 🌥️ cloudy, 🌦️ sunshowers sun_and_rain
🌈 pride lgbtq, ☁️ overcast, 🌧️ rainy soaked drenched, ⛈️ thunderstorm thunder_and_rain, 🌩️ lightning_storm
🌨️ snowy snowstorm, ⛄ frosty, 🌬️ windy mother_nature, 🌫️ hazy, 💧 drop water_drop, ☔ umbrella_with_rain
🍊 orange mandarin, 🥝 kiwi, 🌽 maize, 🌶️ chili_pepper, 🍠 yam, 🥖 baguette, 🧀 cheese, 🥞 breakfast, 🍤 tempura
🍗 drumstick, 🍖 meat, 🥙 doner_kebab shawarma souvlaki, 🥗 salad, 🥘 paella, 🍜 noodles, 🍲 food soup, 🍥 naruto
🍙 onigiri, 🍘 senbei, 🍨 gelato, 🍦 soft_serve soft_ice_cream, 🍮 flan, 🍫 chocolate, 🍩 donut, 🥛 milk
🥂 clink toast, 🍷 wine, 🥃 small_glass, 🍴 eating_utensils
🍽️ hungry meal table_setting fork_and_knife_with_plate lets_eat, ⚽ football, 🏈 american_football, 🏉 rugby
🎱 billiards pool 8_ball, 🏓 ping_pong, 🏸 badminton, 🥅 gooooooooal goal, 🏒 ice_hockey, 🏑 field_hockey
🏏 cricket cricket_bat, ⛳ hole_in_one, 🏹 archery, 🎣 fishing, 🥋 black_belt keikogi dogi
🏋️ lift work_out weight_lift gym, 🤺 fencing, 🤼 wrestling, 🤸 cartwheel acrobatics gymnastics tumbling
⛹️ ball sports, 🏌️ golf, 🏄 surf, 🏊 swim, 🚣 crew sculling rowing, 🏇 horse_riding, 🚴 cyclist, 🎽 running_shirt
🏅 medal, 🎖️ military_medal, 🥇 first_place gold number_one, 🥈 second_place silver, 🥉 third_place bronze
🏆 winner, 🎫 pass, 🎟️ ticket, 🎪 circus, 🎭 drama theater, 🎨 palette painting, 🎬 action, 🎤 mike mic, 🎹 piano
🥁 drum, 🎲 dice die, 🎯 direct_hit bulls_eye, 🎳 strike, 🚕 rideshare, 🚙 recreational_vehicle jeep, 🚌 school_bus
🚎 trolley, 🏎️ racecar, 🚒 fire_truck, 🚚 moving_truck, 🚛 truck tractor-trailer big_rig semi_truck transport_truck
🛴 kick_scooter, 🚲 bicycle, 🛵 scooter motor_bike, 🏍️ motorcycle, 🚨 siren alert, 🚘 oncoming_car, 🚡 ski_lift
🚠 gondola, 🚃 train_car, 🚋 tram streetcar, 🚝 elevated_train, 🚄 high_speed_train, 🚅 bullet_train, 🚂 train
🚆 oncoming_train, 🚇 subway, 🚊 oncoming_tram oncoming_streetcar oncoming_trolley, 🛫 take_off departure
🛬 landing arrival, 🛳️ yacht cruise, 🚧 work_in_progress construction_zone, ⛽ fuel_pump gas_pump petrol_pump
🚏 bus_stop, 🚦 traffic_light, 🗺️ map road_trip, 🗿 rock_carving, 🗽 statue new_york, 🗼 tower, 🏰 castle, 🏯 shiro
🎠 carousel merry_go_round, ⛱️ beach_umbrella, 🏖️ beach, 🏝️ island, 🏔️ snowy_mountain, 🏕️ campsite, ⛺ camping
🛤️ train_tracks, 🛣️ road, 🏗️ construction, 🏡 suburb, 🏘️ houses, 🏚️ derelict_house condemned, 🎑 moon_ceremony
🌅 ocean_sunrise, 🌄 mountain_sunrise, 🌠 shooting_star wish, 🌆 sunset, 🏙️ city skyline, 🌃 night, 🌌 night_sky
🌉 bridge, 📱 mobile_phone smartphone android, 💻 laptop, 🖱️ computer_mouse, 🕹️ arcade, 🗜️ vise, 💽 gold_record
📼 videocassette, 📸 taking_a_picture say_cheese, 📹 video_recorder, 📽️ projector movie, 🎞️ film
📞 landline home_phone, 📺 television, 🎚️ volume, ⏲️ timer, ⌛ times_up hourglass_done, ⏳ time_ticking hourglass
🔋 full_battery, 💡 light_bulb idea, 🗑️ trash_can, 🛢️ commodities, 💸 losing_money easy_come_easy_go
💵 dollar_bills, 💴 yen_banknotes, 💶 euro_banknotes, 💷 pound_notes, 💰 money, 💳 debit_card, 💎 crystal
⚖️ justice balance, 🔧 fixing, 🔨 maintenance handyman handywoman, ⚒️ at_work, 🛠️ working_on_it tools, ⛏️ mine
🔩 screw, ⚙️ settings mechanical engineer, 🔪 betrayed, 🗡️ dagger rated_for_violence, ⚔️ duel swords
⚰️ burial grave, ⚱️ cremation, 🏺 vase, 🔮 oracle future fortune_telling, 💈 striped_pole, ⚗️ alchemy
🔬 science scientist, 💊 medicine, 💉 injection, 🌡️ temperature warm, 🚰 tap_water drinking_water
🛎️ reception services ding, 🗝️ secret dungeon encrypted clue hint, 🛋️ living_room furniture lifestyles
🛏️ bedroom, 🛌 in_bed accommodations guestrooms, 🖼️ picture framed_picture, 🛒 shopping_cart, 🎁 present
🎈 celebration, 🎏 carp_streamer, 🎀 decoration, 🎊 confetti party_ball, 🎉 congratulations, ✉️ mail
📩 mail_sent sealed, 📨 mail_received, 📥 inbox, 📤 outbox, 🏷️ tag price_tag, 📪 closed_mailbox, 📬 unread_mail
📭 inbox_zero empty_mailbox no_mail, 📮 mail_dropoff, 📯 horn, 📃 receipt, 📄 document paper file page
📑 place_holder, 📈 chart upwards_trend growing increasing, 📉 downwards_trend shrinking decreasing
🗒️ spiral_notepad, 📆 date, 📅 calendar, 📇 rolodex, 🗃️ archive, 🗳️ ballot_box, 📁 organize, 📂 folder, 🗂️ sort
🗞️ newspaper swat, 📰 headlines, 📓 composition_book, 📔 decorative_notebook, 📒 spiral_notebook, 📕 red_book
📎 attachment, 🖇️ office_supplies paperclip_chain linked, 📐 carpenter_square, 📏 ruler straightedge
📌 push_pin thumb_tack, 📍 pin sewing_pin, 🖊️ pen ballpoint_pen, 🖋️ fountain_pen, 🖌️ paintbrush, 🖍️ crayon
📝 note, ✏️ pencil, 🔍 search find magnifying_glass, 🔏 privacy key_signing digital_security protected
🔐 secure lock_with_key safe commitment loyalty, 🔒 locked, 🔓 unlocked, ❤️ love love_you, 💛 heart_of_gold, 💚 envy
💜 bravery, 💔 heartache, ❣️ heart_exclamation, 💗 heart_pulse growing_heart, 💘 smitten heart_arrow, 💟 heart_box
☮️ peace, ✝️ cross christianity, ☪️ islam, 🕉️ om hinduism, ☸️ buddhism, 🕎 menorah, ⚛️ atom physics
☢️ radioactive nuclear, ☣️ biohazard, 📴 phone_off, ✴️ eight_pointed_star, 🅾️ o, ❌ cross_mark incorrect wrong
⭕ circle, 🛑 stop_sign, ⛔ wrong_way, 🚫 prohibited not_allowed, 💯 hundred, 💢 bam pow, ♨️ hot_springs, 🔞 nc17
📵 no_phones, ‼️ double_exclamation, 🔅 dim, 🔆 brightness, ⚠️ caution danger, 🚸 school_crossing drive_with_care
✅ check all_good approved, 💹 stock_market, ❎ x, 🌐 www globe, 💠 cute kawaii, Ⓜ️ metro, 🌀 hurricane typhoon
♿ accessible disabled, 🅿️ p, 🛂 immigration, 🛅 locker locked_bag, 🚼 baby_change_station nursery, 🎦 movie_theater
📶 cell_reception signal_bars, ℹ️ info, 🔡 alphabet, 🔠 capital_letters, 🆗 squared_ok, 🆙 squared_up, 🔟 ten
🔢 numbers, ▶️ play, ⏸️ pause, ⏯️ play_pause, ⏹️ stop_button, ⏺️ record, ⏭️ next_track skip_forward
⏮️ previous_track skip_back, ⏫ double_up fast_up, ⏬ double_down fast_down, ◀️ play_reverse
🔼 upvote up_button increase, 🔽 downvote down_button decrease, ➡️ right east, ⬅️ left west, ⬆️ up north
⬇️ down south, ↗️ upper_right north_east, ↘️ lower_right south_east, ↙️ lower_left south_west
↖️ upper_left north_west, ↕️ up_down, ↔️ left_right swap, ↪️ forward right_hook, ↩️ reply left_hook, ⤴️ heading_up
⤵️ heading_down, 🔄 counterclockwise return, 🔃 clockwise, 🎵 music, ➕ plus add, ➖ minus subtract, ➗ division divide
✖️ multiplication multiply, 💲 dollars, 💱 exchange, ™️ trademark, ➰ loop, ➿ double_loop voicemail, ✔️ check_mark
☑️ checkbox, 🔵 blue_circle, 🔺 red_triangle_up, 🔻 red_triangle_down, 🔇 no_sound, 🔉 softer, 🔊 louder sound
🔔 notifications, 🔕 mute_notifications, 📣 megaphone shout, 📢 bullhorn, 💬 umm, 🗨️ speech_bubble, 💭 thought dream
🗯️ anger_bubble, 🃏 joker, 🎴 playing_cards, 🕗 time clock, 🏳️ white_flag surrender, 🏴 black_flag
🏁 race go start, 🚩 triangular_flag, 🎌 solidarity
`;

const byName: ReadonlyMap<string, string> = new Map(
  LINES.trim()
    .split(/,?\s*\n|,\s*/)
    .flatMap((entry) => {
      const [emoji = "", ...names] = entry.split(" ");
      return names.map((name): [string, string] => [name, emoji]);
    }),
);

/** Returns the emoji that Zulip means by a name, if Slack does not mean the same; undefined otherwise. */
export const emojiOfZulipName = (name: string): string | undefined => byName.get(name);

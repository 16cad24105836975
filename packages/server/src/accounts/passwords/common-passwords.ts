/**
 * The passwords of at least eight characters that lead every published list of leaked ones, and the usual variations of
 * common words. They cover the first few thousand guesses of an attacker; a longer list is not worth the memory
 * (protocol §1).
 */

/** Keyboard patterns, rows of digits and whole phrases. */
const AS_THEY_ARE = `
12345678 123456789 1234567890 0123456789 01234567 012345678 123456780 12345678910 1234567891 123456781 12345679 1234567899 87654321
987654321 9876543210 0987654321 098765432 12341234 12344321 123412345 1234512345 123451234 12345123 12345612 123456123 123123123
123321123 12312312 123123123123 123456123456 1234567a 12345678a 123456789a 1234567q 12345678q 123456789q 1234qwer 1234qwerty 12345qwert
12345qwerty 123456qwerty 123qwe123 123qweasd 123qweasdzxc 123qwe123qwe 123abc123 123456abc 12345abc 1234abcd 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y
1q2w3e4r5t6y7u 1q2w3e4r5 1q2w1q2w 1q1q1q1q 1qaz2wsx 1qaz2wsx3edc 1qaz1qaz 1qazxsw2 1qazxcvb 1qaz@wsx !qaz2wsx !qaz@wsx qaz123wsx qazwsx123 qazwsx12
qazwsxed qazwsxedc qazwsxedcrfv qazxcvbn qazxswedc qazwsx1234 1234zxcv 123zxcvbnm zaq12wsx zaq1zaq1 zaq1xsw2 zaq!xsw2 zxcvbnm1 zxcvbnm123 zxcvbnm, zxcvbnm,./
zxcvbnmz zxcvbnma zxcvasdf zxcv1234 asdfghjk asdfghjkl asdfghjkl1 asdfghjkl; asdfghjkl123 asdfasdf asdf1234 asdfqwer asdfzxcv asdfjkl; asdf;lkj asd123asd asdasd123
asdasdasd asdfgh123 asdfg123 asdfg12345 asdqwe123 asdzxc123 qweasdzxc qweasd123 qwe123asd qwe123qwe qweqweqwe qwer1234 qwer4321 qwerasdf qwerasdfzxcv qwert123
qwert1234 qwert12345 qwertyui qwertyuio qwertyuiop qwertyuiop1 qwertyuiop123 qwertyuiop[] qwertyu1 qwerty11 qwerty12 qwerty123 qwerty1234 qwerty12345
qwerty123456 qwerty22 qwerty77 qwerty78 qwerty88 qwerty99 qwerty00 qwerty01 qwerty21 qwerty321 qwerty123! qwertyqwerty qwaszx12 qwaszx123 qwqwqwqw azertyui azertyuiop
azerty123 azerty12 aqwzsxedc aqwzsx123 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 q1q1q1q1 qqqqqqq1 q123456789 q12345678 q1234567 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5
a1a2a3a4 a1s2d3f4 aa123456 aa12345678 aa123456789 aaa12345 aaa123456 ab123456 ab12345678 abc12345 abc123456 abc1234567 abc12345678 abc123456789 abc123abc abc123123
abcd1234 abcd12345 abcd123456 abcde123 abcde12345 abcdef12 abcdef123 abcdefg1 abcdefg123 abcdefgh abcdefghi abcdefghij abcabc123 abcabcabc abcdabcd as123456 asd12345
asd123456 z1234567 z1x2c3v4 z123456789 zx123456 zxc12345 zxc123456 zxczxczxc w1234567 x1234567 s1234567 m1234567 k1234567 j1234567 t1234567 p1234567 qq123456 qq123456789
wang1234 woaini1314 woaini520 woaini521 woaini123 5201314520 520131400 1314520520 13145200 52013140 147258369 14725836 147852369 147896325 14789632 159753456 15975346 159357456
159753159 159357159 159951159 258456258 258258258 369258147 321654987 321321321 456456456 456789123 741852963 74108520 789456123 789456789 789654123 78945612 7894561230 963852741
963258741 987456321 951753852 852456852 147147147 159159159 753951456 654321123 112233445566 11223344 1122334455 1122334455667 112211221 12121212 121212121 1212312121 11112222
111122223333 1111222233334444 11221122 12211221 11235813 1123581321 10101010 101010101 10203040 1020304050 102030405060 20202020 19191919 21212121 23232323 24242424
25252525 31313131 31415926 314159265 3141592654 27182818 69696969 42424242 66666666 99887766 99998888 55667788 55555333 88888889 00000007 007007007 77777771 13131313 131313131
14141414 15151515 16161616 17171717 18181818 20002000 19801980 19811981 19821982 19831983 19841984 19851985 19861986 19871987 19881988 19891989 19901990 19911991
19921992 19931993 19941994 19951995 19961996 19971997 19981998 19991999 20012001 20022002 20032003 20042004 20052005 20062006 20072007 20082008 20092009 20102010
20112011 20122012 20132013 20142014 20152015 20162016 20172017 20182018 20192019 20202021 20212021 20222022 20232023 20242024 20252025 20262026 01010101 010101010 01020304
0102030405 010203040506 02020202 03030303 10011001 10021002 11001100 11111112 123454321 1234554321 123456654321 1234567654321 123456788 123456787 123457890 123459876 121314151
iloveyou iloveyou1 iloveyou2 iloveyou3 iloveyou12 iloveyou123 iloveyou! iloveu12 iloveu123 ilovehim iloveher ilovegod ilovejesus ilovemom ilovemusic ilovemyself ilovemyfamily ilovechocolate
iloveme1 iloveyouu iloveyoubaby iloveyouall iloveu4ever loveyou1 loveyou2 loveyou123 loveme123 lovelove lovelove1 lovelove123 love1234 love12345 love123456 loveless loverboy lovergirl
ihateyou ihateyou1 imissyou imsocool iamthebest iamcool1 iamgod123 ilikepie opensesame letmein1 letmein2 letmein12 letmein123 letmein1234 letmein! letmeinnow trustno1 trustn01
trustno12 correcthorse correcthorsebatterystaple  whatever whatever1 whatever123 whatsup1 nothing1 nothing123 something something1 anything secret123 secret12
topsecret topsecret1 mysecret mypassword mypassword1 mypass123 mypass12 mynewpassword newpassword newpassword1 newpass1 newpass123 nopassword nopass123 thepassword yourpassword
passwordpassword passpass passpass1 pass1234 pass12345 pass123456 pass4321 passw0rd passw0rd1 passw0rd12 passw0rd123 passw0rd! p4ssw0rd p4ssword p4ssw0rd1 p@ssw0rd p@ssw0rd1 p@ssw0rd12
p@ssw0rd123 p@ssw0rd! p@ssword p@ssword1 p@ssword123 pa$$w0rd pa$$word pa55word pa55w0rd pa55word1 pa55w0rd1 passwort passwort1 passwort123 passwords passwerd passphrase motdepasse contraseña
contrasena contrasena1 contrasenia senha123 senha1234 senha12345 minhasenha parola123 parola12 heslo123 haslo123 lozinka1 wachtwoord wachtwoord1 salasana salasana1 sifre123
hallo123 hallo1234 hallohallo hellohello hello123 hello1234 hello12345 hello123456 hellokitty hellokitty1 helloworld helloworld1 bonjour1 bonjour123 ciaociao soleil123 doudou123
loulou123 jetaime1 jetaime123 teamo123 teamo1234 tequiero tequiero1 tequieromucho teamomucho mialiebe ichliebedich schatz123 changeme changeme1 changeme12 changeme123 changeme! changeit
change123 default1 default123 temp1234 temp12345 temppass temppassword temporary test1234 test12345 test123456 test123! testtest testtest1 testing1 testing12 testing123 testpass testpassword
tester123 demo1234 demodemo guest123 guest1234 user1234 user12345 username username1 useruser login123 login1234 loginlogin access14 access123 welcome1 welcome2 welcome12 welcome123
welcome1234 welcome! welcome01 welcome@123 admin123 admin1234 admin12345 admin123456 admin@123 admin123! adminadmin admin888 admin2020 admin2021 admin2022 admin2023 admin2024 admin2025 adminpass
adminpassword administrator administrator1 root1234 root12345 rootroot toor1234 rootpass superuser superadmin sysadmin system123 manager1 manager123 master12 master123 master1234 masterkey
server123 server12 oracle123 mysql123 postgres postgres1 postgres123 database database1 internet internet1 internet123 computer computer1 computer12 computer123 compaq123 windows1 windows10
windows7 windows98 windowsxp microsoft microsoft1 google123 google12 google1234 facebook facebook1 facebook12 facebook123 myspace1 myspace123 youtube1 youtube123 instagram instagram1 instagram123
twitter1 twitter123 whatsapp whatsapp1 linkedin linkedin1 samsung1 samsung12 samsung123 samsung1234 iphone123 motorola motorola1 blackberry nokia123 nokia5800 nokia6300 n0kia6233 1234567j dropbox1
discord1 discord123 telegram slack123 zoom1234 netflix1 netflix123 amazon123 yahoo123 hotmail1 hotmail123 gmail123 gmail.com yahoo.com hotmail.com mail.ru1 football football1 football2 football10
football12 football123 footbal1 fussball fussball1 futbol123 futebol1 baseball baseball1 baseball2 baseball12 baseball123 basketball basketball1 basketball23 softball softball1 softball12
volleyball volleyball1 hockey123 soccer10 soccer11 soccer12 soccer13 soccer123 skateboard skateboarding snowboard snowboard1 gymnastics swimming swimming1 cheerleader cheerleader1 cheerlead
liverpool liverpool1 liverpool123 liverpoolfc arsenal1 arsenal12 arsenal123 chelsea1 chelsea12 chelsea123 chelseafc manchester manutd123 manunited manunited1 manchesterunited barcelona barcelona1
barcelona123 fcbarcelona realmadrid realmadrid1 madrid123 juventus juventus1 juventus123 inter1908 intermilan acmilan1 acmilan1899 forzamilan napoli1926 galatasaray fenerbahce fenerbahce1 besiktas
besiktas1 besiktas1903 corinthians flamengo flamengo1 palmeiras saopaulo bocajuniors riverplate cowboys1 steelers steelers1 patriots packers1 redsox04 yankees1 yankees2 yankees12 lakers24 lakers123
cubs2016 redskins redskins1 raiders1 broncos1 eagles12 dolphins dolphin1 dolphin123 dolphins1 panthers panther1 panther123 bulldogs bulldog1 bulldog123 wildcats wildcat1 warriors warrior1 spartan1
spartan117 spartans chargers buckeyes buckeye1 gators123 sooners1 longhorn longhorns razorback superman superman1 superman12 superman123 batman123 batman12 batman1234 spiderman spiderman1 spiderman123
spider123 ironman1 ironman123 wolverine wolverine1 deadpool deadpool1 captain1 captainamerica avengers hulk1234 hulkhogan pokemon1 pokemon12 pokemon123 pokemon1234 pikachu1 pikachu123 charizard naruto12
naruto123 naruto1234 sasuke123 itachi123 dragonball dragonball1 dragonballz dragonz1 dragon12 dragon123 dragon1234 dragon69 dragon99 vegeta123 goku1234 onepiece onepiece1 yugioh123 digimon1 zelda123
nintendo nintendo1 nintendo64 playstation playstation1 playstation2 playstation3 playstation4 ps3ps3ps xbox3600 xbox3601 xbox1234 xboxlive halo1234 halo2000 counterstrike counter1 warcraft warcraft1
warcraft3 worldofwarcraft starcraft starcraft2 diablo123 diablo666 minecraft minecraft1 minecraft12 minecraft123 minecraft1234 fortnite fortnite1 fortnite123 roblox123 roblox1234 leagueoflegends valorant
runescape runescape1 runescape2 runescape123 skyrim123 metallica metallica1 metallica666 slipknot slipknot1 slipknot6 slipknot666 nirvana1 nirvana123 nirvana94 blink182 blink123 greenday greenday1 linkinpark
linkinpark1 evanescence mychemicalromance mychemical eminem123 eminem12 eminem1234 tupac123 2pacshakur tupacshakur 50cent50 chrisbrown chrisbrown1 beyonce1 rihanna1 shakira1 madonna1 michaeljackson
justinbieber justinbieber1 jonasbrothers onedirection onedirection1 harrystyles bobmarley bobmarley1 bobdylan ironmaiden ironmaiden1 acdcacdc acdc1234 ledzeppelin ledzep123 pinkfloyd pinkfloyd1 beatles1 thebeatles
rockstar rockstar1 rockandroll rocknroll starwars starwars1 starwars12 starwars123 skywalker skywalker1 lukeskywalker darthvader darthvader1 anakin123 jedi1234 jedimaster startrek startrek1 enterprise
harrypotter harrypotter1 hogwarts gryffindor slytherin lordoftherings gandalf1 gandalf123 frodo123 gameofthrones winterfell matrix123 terminator terminator1 jamesbond jamesbond007 bond0007 godfather godzilla1
scarface scarface1 jackass1 southpark simpsons simpsons1 spongebob spongebob1 mickey123 mickeymouse minnie123 tinkerbell tinkerbell1 winnie123 winniethepooh princess princess1 princess2 princess12 princess13
princess123 princess1234 princesa princesa1 principessa prinzessin cinderella sunshine sunshine1 sunshine2 sunshine12 sunshine123 sunflower sunflower1 rainbow1 rainbow123 rainbows butterfly butterfly1
butterfly2 butterfly123 mariposa mariposa1 flower12 flower123 flowers1 strawberry strawberry1 blueberry raspberry cherry123 cherries chocolate chocolate1 chocolate123 cupcake1 cupcakes cookies1 cookie123
cookiemonster cheesecake cheese123 chicken1 chicken123 banana123 pineapple peaches1 pumpkin1 pumpkin123 peanut123 peanutbutter buttercup buttercup1 caramelo coffee123 cocacola cocacola1 pepsi123 budlight
budweiser heineken jackdaniels tequila1 corona123 guinness bacardi1 marlboro marlboro1 marijuana smokeweed smokeweed420 weed4200 cannabis babygirl babygirl1 babygirl12 babygirl13 babygirl123 babyboy1 babyboy123
babylove babyblue babyface babybaby baby1234 sweetheart sweetheart1 sweetie1 sweetpea sweetpea1 sweetness angel123 angel1234 angelica angels123 angelito mylove123 myloveis mylove12 truelove truelove1 onelove1
onlylove foreverlove forever1 forever123 forever21 4everlove 4ever4ever gorgeous beautiful beautiful1 beautiful123 handsome handsome1 sexygirl sexylady sexymama sexybitch sexyback sexy1234 sexy6969 hotgirl1 hottie123
hotmama1 blondie1 blonde12 brunette redhead1 playgirl playboy1 playboy69 playboy123 pornstar fuckyou1 fuckyou2 fuckyou12 fuckyou123 fuckyou! fuckoff1 fuckoff123 fuckthis fuckme69 fuckfuck bullshit bullshit1
asshole1 asshole123 bitch123 bitches1 dickhead dickhead1 shithead shithead1 motherfucker pussy123 pussycat pussycat1 bigdick1 bigtits1 blowjob1 cumshot1 suckmydick penis123 poophead poohbear poohbear1 pooppoop
christian christian1 jesus123 jesus1234 jesuschrist jesusis1 jesusislord jesuslovesme jesussaves lordjesus godisgood godisgood1 godislove godbless godbless1 blessed1 blessing faithful halleluja hallelujah amen1234 bismillah
bismillah1 bismillah786 786786786 allah786 allahakbar alhamdulillah mashallah inshallah muhammad mohammed mohammad1 krishna1 jaimatadi jai12345 sairam123 omsairam ganesha1 shiva123 india123 india1234 pakistan pakistan1
pakistan123 bangladesh indonesia malaysia singapore australia newzealand canada123 america1 america123 american1 usa12345 england1 england123 scotland scotland1 ireland1 germany1 deutschland frankreich paris123
france98 marseille portugal portugal1 portugal123 brasil123 brazil123 argentina argentina1 mexico123 colombia colombia1 colombia123 venezuela ecuador1 california california1 florida1 newyork1 newyork123 newyork12 newyorkcity
chicago1 chicago23 houston1 dallas22 london123 london12 london2012 moscow123 istanbul istanbul34 turkiye1 hongkong shanghai beijing1 alexander alexander1 alexandra alexandre alejandro alejandro1 alejandra andrea123
andrew123 anthony1 anthony12 anthony123 antonio1 antonio123 ashley12 ashley123 benjamin benjamin1 brandon1 brandon12 brandon123 brandon12 brittany brittany1 cameron1 carlos123 caroline catherine charlie1 charlie12 charlie123
charlotte charlotte1 christine christina christopher claudia1 courtney courtney1 cristian cristiano cristina daniel12 daniel123 daniela1 danielle danielle1 david123 david1234 diego123 dominic1 eduardo1 elizabeth elizabeth1
fernando fernando1 francesco francis1 francisco frederic gabriel1 gabriel123 gabriela gabriella george123 giovanni giovanna guillermo gustavo1 hannah123 isabella isabella1 isabelle jackson1 jackson5 jacob123 james123 jasmine1
jasmine12 jasmine123 jason123 javier123 jeffrey1 jennifer jennifer1 jeremiah jessica1 jessica12 jessica123 jessica2 john1234 johnny123 jonathan jonathan1 jordan12 jordan123 jordan1234 jordan23 joseph123 joshua12 joshua123 juan1234
justin12 justin123 katherine kathleen kenneth1 kimberly kimberly1 leonardo lorenzo1 lorraine madison1 madison123 marcus123 margaret margarita maria123 mariana1 marissa1 martin123 matthew1 matthew12 matthew123 melanie1 melissa1
melissa123 michael1 michael12 michael123 michael2 michael23 michaela michelle michelle1 michelle12 michelle123 miguel123 monica123 montana1 morgan123 natalie1 natasha1 nathan123 nathalie nicholas nicholas1 nicolas1 nicole12 nicole123
nikita123 oliver123 olivia123 pamela123 patricia patricia1 patrick1 patrick123 pauline1 philippe princesse rachel123 rebecca1 rebecca123 ricardo1 ricardo123 richard1 richard123 robert12 robert123 roberto1 rodrigo1 ronaldo1
ronaldo7 ronaldo9 ronaldo123 cristiano7 ronaldinho ronaldinho10 messi123 messi1010 leomessi leomessi10 beckham7 rooney10 maradona maradona10 samantha samantha1 samantha123 sandra123 santiago santiago1 savannah savannah1
sebastian sebastian1 sebastien sergey123 stephanie stephanie1 stephen1 steven123 summer12 summer123 summer99 susan123 sophie123 tatiana1 taylor12 taylor123 terrence thomas12 thomas123 tiffany1 tiffany123 timothy1 trevor123 tyler123
valentin valentina valentina1 valentine valerie1 vanessa1 vanessa123 veronica veronica1 victoria victoria1 victoria123 vincent1 vladimir vladimir1 whitney1 william1 william123 xavier123 yolanda1 zachary1 aleksandr aleksandra anastasia
anastasiya ekaterina margarita1 nadezhda svetlana konstantin stanislav vladislav yaroslav marina123 andrey123 alexey123 dmitry123 privet123 parolparol lubimaya lyubov123 natasha123 zenit123 spartak1 spartak1922 cska1911 lokomotiv
computador estrella estrella1 amorcito amormio1 amoramor amor1234 amoreterno miamor123 tiamo123 tiamotanto amoremio corazon1 corazon123 mipassword micontraseña chocolat doudou13 marseille13 camille1 nicolas123 thomas13 toulouse bordeaux
killer12 killer123 killer1234 killers1 killerbee hunter12 hunter123 hunter01 shadow12 shadow123 shadow1234 shadow99 monster1 monster12 monster123 ghost123 phantom1 phantom123 predator predator1 destroyer punisher gangster gangster1
gangsta1 thuglife thuglife1 westside westside1 eastside eastside1 northside southside ganja420 biteme123 badboy123 badboy12 badgirl1 badass12 bigboy12 bigdaddy bigdaddy1 bigpoppa bigmoney money123 money1234 moneymoney moneymaker
cashmoney cashmoney1 richboy1 millionaire makemoney lamborghini ferrari1 ferrari123 ferrari458 porsche1 porsche911 porsche9 mercedes mercedes1 mercedes123 mustang1 mustang12 mustang123 mustang5 mustang65 mustang69 corvette corvette1
chevrolet camaro69 camaro123 silverado dodgeram chevy123 chevy350 honda123 hondacivic suzuki123 yamaha123 yamahar1 kawasaki kawasaki1 harley123 harleydavidson toyota123 nissan123 subaru123 mazda123 bmwbmwbmw bmw12345 audi1234 audia4a4
maverick maverick1 thunder1 thunder123 lightning lightning1 hurricane tornado1 fireball fireball1 firebird firefire phoenix1 phoenix123 eagle123 tiger123 tiger1234 tigers12 tigger12 tigger123 wolfpack wolfgang wolf1234 lonewolf whitewolf
panther12 leopard1 elephant elephant1 dragonfly dragonfly1 monkey12 monkey123 monkey1234 monkeys1 monkey99 monkey69 monkeyman donkey123 squirrel turtle123 penguin1 penguin123 penguins kittycat kittycat1 kitty123 kittykat kitten123 doggy123
doggies1 puppy123 puppylove puppies1 snoopy123 snoopdog snoopdogg scooby123 scoobydoo scoobydoo1 garfield garfield1 tweety123 tweetybird bubbles1 bubbles123 bubba123 bubblegum buddy123 buddy1234 buster12 buster123 bailey123 ginger123 maggie123
pepper123 lucky123 lucky777 lucky1234 luckydog luckyone charlie2 rocky123 rocky1234 sammy123 molly123 oreo1234 cooper123 gizmo123 jasper123 midnight midnight1 midnight12 moonlight moonlight1 starlight stardust sunlight sunrise1 sunset123 blackcat
blackcat1 blackdog blackout blackbird blackjack blackstar blackrose black123 bluebird blueeyes blueeyes1 bluemoon bluesky1 blue1234 blueblue red12345 redrum12 redrose1 redroses green123 greenbay greentea yellow12 yellow123 orange12 orange123
orange1234 purple12 purple123 purple1234 pink1234 pinkpink pinklady silver12 silver123 golden123 goldfish goldie123 diamond1 diamond12 diamond123 diamonds diamonds1 platinum emerald1 crystal1 crystal123 sapphire ruby1234 jordan45 michigan
virginia carolina carolina1 oklahoma colorado colorado1 arkansas missouri minnesota pennsylvania tennessee november november1 november11 december december1 december12 october1 october10 october12 october123 september september1 august12 august123
february february14 january1 january123 july1234 june1234 summer01 summer69 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 summer2026 winter12 winter123 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 winter2026
spring123 spring2020 spring2021 spring2022 spring2023 spring2024 spring2025 spring2026 autumn123 autumn2020 autumn2021 autumn2022 autumn2023 autumn2024 autumn2025 monday123 friday13 friday123 sunday123 saturday birthday birthday1 birthday21 christmas
christmas1 halloween halloween1 vacation holiday1 holidays paradise paradise1 heaven123 hawaii50 heavenly infinity infinity1 universe galaxy123 jupiter1 mercury1 saturn12 apollo11 apollo13 discovery explorer voyager1 freedom1 freedom12 freedom123
victory1 victory123 champion champion1 champions legend123 legends1 hero1234 heroes123 soldier1 marine123 marines1 usmc1775 semperfi semperfi1 airforce airforce1 army1234 navyseal firefighter fireman1 fireman911 police911 911turbo emergency
doctor123 nursing1 teacher1 teacher123 student1 student123 school123 school12 college1 highschool graduate education mathematics science1 biology1 chemistry einstein newton123 beethoven mozart123 shakespeare philosophy psychology
business business1 marketing security security1 security123 secure123 private1 privacy1 personal personal1 number1! number123 number11 numberone numero10 lucky13! thirteen seventeen fourteen eighteen eightball nineteen sixtynine seventy7
`;

/** Words that are common alone and with one of the endings; together they expand to some thousands of passwords. */
const WORDS = `
password passwort letmein welcome qwerty monkey dragon master shadow michael football baseball superman batman sunshine princess iloveyou
admin login hello freedom whatever trustno ninja mustang jesus hunter killer pepper jordan harley ranger buster soccer hockey george charlie andrew
summer winter spring autumn secret access starwars computer internet test temp guest user root changeme default server chat parley discord
`;
const ENDINGS = `
1 2 12 11 01 22 69 99 00 123 321 007 666 777 1234 4321 12345 123456 1! ! !! 12! 123! 1234! @1 @12 @123 @1234 #1 #123 $1 * . ? _1 _123
2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026 2027 @2020 @2021 @2022 @2023 @2024 @2025 @2026
`;

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

function gather(): ReadonlySet<string> {
  const found = new Set(words(AS_THEY_ARE));
  for (const word of words(WORDS)) {
    found.add(word);
    for (const ending of words(ENDINGS)) found.add(word + ending);
  }
  for (const short of found) if (short.length < 8) found.delete(short);
  return found;
}

let gathered: ReadonlySet<string> | undefined;

/**
 * Returns all common passwords in lower case. The set is built on the first call, because most processes never need it.
 */
export function commonPasswords(): ReadonlySet<string> {
  gathered ??= gather();
  return gathered;
}

